// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// interrupt is the cause of a context that a signal ended.
type interrupt struct{ signal syscall.Signal }

func (i *interrupt) Error() string { return "interrupted by " + unix.SignalName(i.signal) }

// code is the exit code that shells give a program that died of the signal: 130 for SIGINT.
func (i *interrupt) code() int { return 128 + int(i.signal) }

// untilSignal returns a context that ends with the first signal, and whose cause is the *interrupt. That signal restores the
// default action, so that a second one ends the process.
func untilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(&interrupt{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(signals); cancel(nil) }
}

// interrupted prints one sentence, and what could not be cleaned up. It returns the exit code.
func interrupted(ctx context.Context, errs io.Writer, err error) int {
	by := &interrupt{syscall.SIGINT}
	errors.As(context.Cause(ctx), &by)
	fmt.Fprintf(errs, "kgrace: %v\n", by)
	for _, one := range parts(err) {
		if !ofInterrupt(one) {
			fmt.Fprintf(errs, "kgrace: %s\n", explain(one))
		}
	}
	return by.code()
}

// parts returns the errors that err joins, or err.
func parts(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, parts(one)...)
	}
	return all
}

// ofInterrupt reports whether an error is only the consequence of the interrupt: programs that it ended, and results that they
// therefore did not leave.
func ofInterrupt(err error) bool {
	var ended *exec.ExitError
	var failed *tool.Error
	var coded *exitError
	var by *interrupt
	return errors.Is(err, context.Canceled) || errors.As(err, &ended) || errors.As(err, &failed) || errors.Is(err, fs.ErrNotExist) || errors.As(err, &by) ||
		errors.As(err, &coded) && coded.code != verdict.ExitRed
}
