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
