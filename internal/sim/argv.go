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

package sim

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path"
	"time"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// command is a command line of the actor, the program in the images of scenarios (cmd/actor), as it understands it.
type command struct {
	verb string // run, hook, mark or pause
	as   owner

	program Program // of run; ExitCode of all

	// takes is how long a hook runs; negative is for ever. asked is that as it was written, and endMain is when it tells the main
	// process to end; negative is never.
	takes, endMain time.Duration
	asked          string

	word, message string // of mark; word of a hook too
}

const (
	actorProgram = "actor"
	exitUsage    = 2
)

// usageError is what the actor says to a command line that it does not understand. It ends with code 2.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

// missingError says that the image holds no such program.
type missingError struct{ name string }

func (e *missingError) Error() string {
	return fmt.Sprintf("exec: %q: executable file not found in $PATH", e.name)
}

// parseCommand reads a command line with its environment. The error is a *missingError or a *usageError.
func parseCommand(argv []string, env []*runtimev1.KeyValue) (command, error) {
	if len(argv) == 0 {
		return command{}, &missingError{}
	}
	if path.Base(argv[0]) != actorProgram {
		return command{}, &missingError{argv[0]}
	}
	if len(argv) == 1 {
		return command{}, &usageError{errors.New("actor: no command")}
	}
	c := command{verb: argv[1]}
	set := flag.NewFlagSet(c.verb, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	check, ok := map[string]func(*flag.FlagSet, *command) func() error{
		"run": runFlags, "hook": hookFlags, "mark": markFlags,
		"pause": func(*flag.FlagSet, *command) func() error { return func() error { return nil } },
	}[c.verb]
	if !ok {
		return command{}, &usageError{fmt.Errorf("actor: unknown command %q", c.verb)}
	}
	var socket string
	if c.verb != "pause" {
		set.StringVar(&c.as.pod, "pod", variable(env, "KGRACE_POD"), "")
		set.StringVar(&c.as.container, "container", variable(env, "KGRACE_CONTAINER"), "")
		set.StringVar(&socket, "socket", variable(env, "KGRACE_SOCKET"), "")
	}
	verify := check(set, &c)
	err := set.Parse(argv[2:])
	if err == nil && set.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	if err == nil && c.verb != "pause" {
		for name, value := range map[string]string{"--pod": c.as.pod, "--container": c.as.container, "--socket": socket} {
			if value == "" {
				err = errors.Join(err, fmt.Errorf("missing %s", name))
			}
		}
	}
	if err = errors.Join(err, verify()); err != nil {
		return command{}, &usageError{fmt.Errorf("actor %s: %w", c.verb, err)}
	}
	return c, nil
}

// The functions below declare the flags of one verb and return the check of what they were set to.

func runFlags(set *flag.FlagSet, c *command) func() error {
	onTerm := set.Bool("exit-on-term", false, "")
	afterTerm := set.Duration("exit-after-term", -1, "")
	after := set.Duration("exit-after", -1, "")
	code := codeFlag(set)
	set.BoolVar(&c.program.Stubborn, "stubborn", false, "")
	set.IntVar(&c.program.HTTPPort, "http-port", 0, "")
	return func() error {
		ways := 0
		for _, isSet := range []bool{c.program.Stubborn, *onTerm, *afterTerm >= 0} {
			if isSet {
				ways++
			}
		}
		if ways > 1 {
			return errors.New("--stubborn, --exit-on-term and --exit-after-term exclude each other")
		}
		if c.program.HTTPPort < 0 || c.program.HTTPPort > 65535 {
			return fmt.Errorf("--http-port %d: expected 1 to 65535, or 0 for none", c.program.HTTPPort)
		}
		c.program.ExitAfterTerm = max(*afterTerm, 0)
		c.program.Brief, c.program.ExitAfter = *after >= 0, max(*after, 0)
		return code(&c.program)
	}
}

func hookFlags(set *flag.FlagSet, c *command) func() error {
	set.StringVar(&c.asked, "for", "0s", "")
	set.StringVar(&c.word, "word", "HOOK", "")
	set.DurationVar(&c.endMain, "end-main", -1, "")
	code := codeFlag(set)
	return func() (err error) {
		if c.word == "" {
			return errors.New("--word is empty")
		}
		if c.asked == "forever" {
			c.takes = -1
		} else if c.takes, err = time.ParseDuration(c.asked); err != nil || c.takes < 0 {
			return fmt.Errorf("--for %q: expected a duration such as 8s, or forever", c.asked)
		}
		return code(&c.program)
	}
}

func markFlags(set *flag.FlagSet, c *command) func() error {
	set.StringVar(&c.word, "word", "MARK", "")
	set.StringVar(&c.message, "message", "", "")
	code := codeFlag(set)
	return func() error {
		if c.word == "" {
			return errors.New("--word is empty")
		}
		return code(&c.program)
	}
}

func codeFlag(set *flag.FlagSet) func(*Program) error {
	code := set.Int("exit-code", 0, "")
	return func(p *Program) error {
		if *code < 0 || *code > 255 {
			return fmt.Errorf("--exit-code %d: expected 0 to 255", *code)
		}
		p.ExitCode = int32(*code)
		return nil
	}
}

func variable(env []*runtimev1.KeyValue, name string) string {
	value := ""
	for _, e := range env {
		if e.GetKey() == name {
			value = string(e.GetValue()) // the last one wins, as in a process
		}
	}
	return value
}
