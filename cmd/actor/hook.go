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
	"syscall"
	"time"
)

// hook is the process of an exec hook: HOOK-START, a wait, HOOK-END, or the same with another first word. A hook that is killed
// says no HOOK-END. With --end-main it tells the container's main process to end, on the way.
func hook(args []string, errs io.Writer) int {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	signal.Ignore(syscall.SIGPIPE)

	var id identity
	set := flag.NewFlagSet("hook", flag.ContinueOnError)
	id.flags(set)
	length := set.String("for", "0s", "")
	word := set.String("word", "HOOK", "")
	endMain := set.Duration("end-main", -1, "")
	code := set.Int("exit-code", 0, "")
	var d time.Duration
	check := func() (err error) {
		if *word == "" {
			return errors.New("--word is empty")
		}
		if *length != "forever" {
			if d, err = time.ParseDuration(*length); err != nil || d < 0 {
				return fmt.Errorf("--for %q: expected a duration such as 8s, or forever", *length)
			}
		}
		return errors.Join(id.check(), checkCode(*code))
	}
	if !parse(set, args, errs, check) {
		return exitUsage
	}
	r := &reporter{identity: id, errs: errs}
	_ = r.report(*word+"-START", "for "+*length)
	var end, main <-chan time.Time // nil: never
	if *length != "forever" {
		end = time.After(d)
	}
	if *endMain >= 0 {
		main = time.After(*endMain)
	}
	for {
		select {
		case <-main:
			if err := syscall.Kill(1, endSignal); err != nil {
				fmt.Fprintf(errs, "actor hook: tell the main process to end: %v\n", err)
				return exitFailed
			}
		case <-end:
			_ = r.report(*word+"-END", "")
			return *code
		case s := <-signals:
			_ = r.report(*word+"-"+nameOf(s), "")
			return exitTerm
		}
	}
}

// endSignal is what a hook tells the main process, the first one of its container, to end with.
const endSignal = syscall.SIGUSR1

// mark sends one line. It fails when the line could not be sent, so that a hook or probe made of it cannot pass unseen.
func mark(args []string, errs io.Writer) int {
	var id identity
	set := flag.NewFlagSet("mark", flag.ContinueOnError)
	id.flags(set)
	word := set.String("word", "MARK", "")
	message := set.String("message", "", "")
	code := set.Int("exit-code", 0, "")
	check := func() error {
		if *word == "" {
			return errors.New("--word is empty")
		}
		return errors.Join(id.check(), checkCode(*code))
	}
	if !parse(set, args, errs, check) {
		return exitUsage
	}
	r := &reporter{identity: id, errs: errs}
	if err := r.report(*word, *message); err != nil {
		return exitFailed
	}
	return *code
}
