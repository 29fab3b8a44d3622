// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/kgrace/kgrace/internal/actor"
)

// takeSignals takes all signals that live handles or reports.
func takeSignals() <-chan os.Signal {
	signals := make(chan os.Signal, 64)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	signal.Ignore(syscall.SIGPIPE) // a server that has gone is a write error, not the end
	return signals
}

// run is the main process. It ends on TERM (at once by default), on a signal of a hook, or by itself, with --exit-code.
func run(c actor.Command, errs io.Writer, signals <-chan os.Signal) int {
	r := newReporter(c, errs)
	if c.HTTPPort > 0 {
		if err := serveSilence(r, c.HTTPPort); err != nil {
			fmt.Fprintf(errs, "actor run: %v\n", err)
			return exitFailed
		}
	}
	_ = r.report("START", "pid "+strconv.Itoa(os.Getpid()))
	return live(r, c, signals)
}

// live waits until the process is to end. It counts signals until then.
func live(r *reporter, o actor.Command, signals <-chan os.Signal) int {
	var end <-chan time.Time
	why := ""
	if o.ExitAfter >= 0 {
		end, why = time.After(o.ExitAfter), "by itself"
	}
	terms := 0
	take := func(s os.Signal) {
		if s == endSignal {
			end, why = time.After(0), "at a hook's word"
			return
		}
		if s != syscall.SIGTERM && s != syscall.SIGINT {
			_ = r.report(nameOf(s), "ignored")
			return
		}
		terms++
		_ = r.report(nameOf(s), strconv.Itoa(terms))
		if terms == 1 && !o.Stubborn {
			end, why = time.After(max(o.ExitAfterTerm, 0)), "on "+nameOf(s)
		}
	}
	for {
		select {
		case s := <-signals:
			take(s)
		case <-end:
			for len(signals) > 0 { // the only receiver
				take(<-signals)
			}
			_ = r.report("EXIT", fmt.Sprintf("code %d, %s, signals %d", o.ExitCode, why, terms))
			return o.ExitCode
		}
	}
}

// nameOf returns the name of a signal: TERM, INT, HUP, QUIT, USR1 or USR2.
func nameOf(s os.Signal) string {
	names := map[os.Signal]string{
		syscall.SIGTERM: "TERM", syscall.SIGINT: "INT", syscall.SIGHUP: "HUP",
		syscall.SIGQUIT: "QUIT", syscall.SIGUSR1: "USR1", syscall.SIGUSR2: "USR2",
	}
	if name, ok := names[s]; ok {
		return name
	}
	return strings.ToUpper(s.String())
}
