// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/kgrace/kgrace/internal/actor"
)

// hook is the process of an exec hook: it reports HOOK-START, waits and reports HOOK-END, or the same with another first word.
// A killed hook reports no HOOK-END. With --end-main it tells the container's main process to end meanwhile.
func hook(c actor.Command, errs io.Writer) int {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	signal.Ignore(syscall.SIGPIPE)

	r := newReporter(c, errs)
	_ = r.report(c.Word+"-START", "for "+c.For)
	var end, main <-chan time.Time // nil: never
	if c.Takes >= 0 {
		end = time.After(c.Takes)
	}
	if c.EndMain >= 0 {
		main = time.After(c.EndMain)
	}
	for {
		select {
		case <-main:
			if err := syscall.Kill(1, endSignal); err != nil {
				fmt.Fprintf(errs, "actor hook: tell the main process to end: %v\n", err)
				return exitFailed
			}
		case <-end:
			_ = r.report(c.Word+"-END", "")
			return c.ExitCode
		case s := <-signals:
			_ = r.report(c.Word+"-"+nameOf(s), "")
			return exitTerm
		}
	}
}

// endSignal is the signal with which a hook ends the main process, process 1 of its container.
const endSignal = syscall.SIGUSR1

// mark sends one line. It fails if the line could not be sent, so that no hook or probe that uses it passes unrecorded.
func mark(c actor.Command, errs io.Writer) int {
	if err := newReporter(c, errs).report(c.Word, c.Message); err != nil {
		return exitFailed
	}
	return c.ExitCode
}
