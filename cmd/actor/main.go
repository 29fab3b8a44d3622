// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"

	"github.com/kgrace/kgrace/internal/actor"
)

// Exit codes beside actor.ExitUsage that the caller does not choose.
const (
	exitFailed = 1
	exitTerm   = 128 + 15
)

func main() {
	os.Exit(dispatch(os.Args[1:], os.Stderr))
}

// dispatch returns the process's exit code.
func dispatch(args []string, errs io.Writer) int {
	if len(args) > 0 {
		switch args[0] {
		case "help", "-h", "--help":
			fmt.Fprint(os.Stdout, actor.Usage)
			return 0
		case "run":
			// Take signals first: process 1 of a pid namespace gets no signal that it has no handler for, and the Go runtime's default
			// way to die from one does not work there.
			return withCommand(args, errs, takeSignals(), run)
		}
	}
	return withCommand(args, errs, nil, func(c actor.Command, errs io.Writer, _ <-chan os.Signal) int {
		return map[string]func(actor.Command, io.Writer) int{"hook": hook, "mark": mark, "pause": pause}[c.Verb](c, errs)
	})
}

func withCommand(args []string, errs io.Writer, signals <-chan os.Signal, do func(actor.Command, io.Writer, <-chan os.Signal) int) int {
	c, err := actor.Parse(args, os.Getenv)
	if err != nil {
		fmt.Fprintf(errs, "%v\n%s", err, actor.Usage)
		return actor.ExitUsage
	}
	return do(c, errs, signals)
}
