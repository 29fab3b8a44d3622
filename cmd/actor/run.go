/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// runOptions say how the main process of a container behaves.
type runOptions struct {
	identity
	stubborn   bool
	exitOnTerm bool
	// afterTerm is how long it lives after the first TERM, after how long it lives without any; negative is unset.
	afterTerm, after time.Duration
	code             int
	httpPort         int
}

func (o *runOptions) check() error {
	ways := 0
	for _, set := range []bool{o.stubborn, o.exitOnTerm, o.afterTerm >= 0} {
		if set {
			ways++
		}
	}
	switch {
	case ways > 1:
		return errors.New("--stubborn, --exit-on-term and --exit-after-term exclude each other")
	case o.httpPort < 0 || o.httpPort > 65535:
		return fmt.Errorf("--http-port %d: expected 1 to 65535, or 0 for none", o.httpPort)
	}
	return errors.Join(o.identity.check(), checkCode(o.code))
}

// run is the main process. It ends on TERM (at once unless told otherwise), when a hook tells it to, or on its own, with
// --exit-code.
func run(args []string, errs io.Writer) int {
	// Before anything else: process 1 of a pid namespace gets no signal it has no handler for, and the Go runtime's own
	// way of dying from one does not work there. Every signal that could mean something is taken and decided on here.
	signals := make(chan os.Signal, 64)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	signal.Ignore(syscall.SIGPIPE) // a server that went away is an error of a write, not the end

	o := runOptions{}
	set := flag.NewFlagSet("run", flag.ContinueOnError)
	o.flags(set)
	set.BoolVar(&o.stubborn, "stubborn", false, "")
	set.BoolVar(&o.exitOnTerm, "exit-on-term", false, "")
	set.DurationVar(&o.afterTerm, "exit-after-term", -1, "")
	set.DurationVar(&o.after, "exit-after", -1, "")
	set.IntVar(&o.code, "exit-code", 0, "")
	set.IntVar(&o.httpPort, "http-port", 0, "")
	if !parse(set, args, errs, o.check) {
		return exitUsage
	}
	r := &reporter{identity: o.identity, errs: errs}
	if o.httpPort > 0 {
		if err := serveSilence(r, o.httpPort); err != nil {
			fmt.Fprintf(errs, "actor run: %v\n", err)
			return exitFailed
		}
	}
	_ = r.report("START", "pid "+strconv.Itoa(os.Getpid()))
	return live(r, o, signals)
}

// live waits for what ends the process. Signals are counted to the very end.
func live(r *reporter, o runOptions, signals <-chan os.Signal) int {
	var end <-chan time.Time
	why := ""
	if o.after >= 0 {
		end, why = time.After(o.after), "by itself"
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
		if terms == 1 && !o.stubborn {
			end, why = time.After(max(o.afterTerm, 0)), "on "+nameOf(s)
		}
	}
	for {
		select {
		case s := <-signals:
			take(s)
		case <-end:
			for len(signals) > 0 { // nobody else receives
				take(<-signals)
			}
			_ = r.report("EXIT", fmt.Sprintf("code %d, %s, signals %d", o.code, why, terms))
			return o.code
		}
	}
}

// nameOf is the word that stands for a signal: TERM, INT, HUP, QUIT, USR1, USR2.
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
