// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package actor

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Usage is the usage text of the program.
const Usage = `usage:
  actor run   --pod P --container C --socket S [--stubborn | --exit-on-term | --exit-after-term D]
              [--exit-after D] [--exit-code N] [--http-port N]
  actor hook  --pod P --container C --socket S [--for D|forever] [--word W] [--end-main D] [--exit-code N]
  actor mark  --pod P --container C --socket S [--word W] [--message M] [--exit-code N]
  actor pause
D is a duration such as 2s. --pod, --container and --socket may come from KGRACE_POD, KGRACE_CONTAINER, KGRACE_SOCKET.
`

// The images that contain only the program, on nodes and in the simulated runtime.
const (
	Image      = "kgrace.test/actor:v1" // its entry point is the program
	PauseImage = "kgrace.test/pause:v1" // that of sandboxes: `actor pause`
	Path       = "/actor"               // of the program in both
)

// ExitUsage is the exit code for an invalid command line.
const ExitUsage = 2

// Command is a command line. A negative duration is unset.
type Command struct {
	Verb string // run, hook, mark or pause
	// Pod and Container identify the process in its lines, which go to Socket.
	Pod, Container, Socket string

	// Of run: what ends the main process.
	Stubborn, ExitOnTerm     bool
	ExitAfterTerm, ExitAfter time.Duration
	HTTPPort                 int

	// Of hook: For is the duration as written, and Takes its value, negative for forever; EndMain is when the hook ends the
	// main process.
	For            string
	Takes, EndMain time.Duration

	Word     string // of hook and mark
	Message  string // of mark
	ExitCode int    // of all but pause
}

// Parse parses a command line without the program's name. env looks up a variable.
func Parse(args []string, env func(name string) string) (Command, error) {
	if len(args) == 0 {
		return Command{}, errors.New("actor: no command")
	}
	c := Command{Verb: args[0]}
	if !slices.Contains([]string{"run", "hook", "mark", "pause"}, c.Verb) {
		return c, fmt.Errorf("actor: unknown command %q, expected run, hook, mark or pause", c.Verb)
	}
	set := flag.NewFlagSet(c.Verb, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	c.declare(set, env)
	err := set.Parse(args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		err = errors.New("help")
	case err == nil && set.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", set.Arg(0))
	case err == nil:
		err = c.check()
	}
	if err != nil {
		return c, fmt.Errorf("actor %s: %w", c.Verb, err)
	}
	return c, nil
}

func (c *Command) declare(set *flag.FlagSet, env func(name string) string) {
	if c.Verb == "pause" {
		return
	}
	set.StringVar(&c.Pod, "pod", env("KGRACE_POD"), "")
	set.StringVar(&c.Container, "container", env("KGRACE_CONTAINER"), "")
	set.StringVar(&c.Socket, "socket", env("KGRACE_SOCKET"), "")
	set.IntVar(&c.ExitCode, "exit-code", 0, "")
	switch c.Verb {
	case "run":
		set.BoolVar(&c.Stubborn, "stubborn", false, "")
		set.BoolVar(&c.ExitOnTerm, "exit-on-term", false, "")
		set.DurationVar(&c.ExitAfterTerm, "exit-after-term", -1, "")
		set.DurationVar(&c.ExitAfter, "exit-after", -1, "")
		set.IntVar(&c.HTTPPort, "http-port", 0, "")
	case "hook":
		set.StringVar(&c.For, "for", "0s", "")
		set.StringVar(&c.Word, "word", "HOOK", "")
		set.DurationVar(&c.EndMain, "end-main", -1, "")
	case "mark":
		set.StringVar(&c.Word, "word", "MARK", "")
		set.StringVar(&c.Message, "message", "", "")
	}
}

func (c *Command) check() error {
	if c.Verb == "pause" {
		return nil
	}
	var missing []string
	for _, one := range []struct{ name, value string }{{"--pod", c.Pod}, {"--container", c.Container}, {"--socket", c.Socket}} {
		if one.value == "" {
			missing = append(missing, one.name)
		}
	}
	var errs []error
	if len(missing) > 0 {
		errs = append(errs, errors.New("missing "+strings.Join(missing, ", ")))
	}
	if c.ExitCode < 0 || c.ExitCode > 255 {
		errs = append(errs, fmt.Errorf("--exit-code %d: expected 0 to 255", c.ExitCode))
	}
	ways := 0
	for _, set := range []bool{c.Stubborn, c.ExitOnTerm, c.Verb == "run" && c.ExitAfterTerm >= 0} {
		if set {
			ways++
		}
	}
	switch {
	case ways > 1:
		errs = append(errs, errors.New("--stubborn, --exit-on-term and --exit-after-term exclude each other"))
	case c.HTTPPort < 0 || c.HTTPPort > 65535:
		errs = append(errs, fmt.Errorf("--http-port %d: expected 1 to 65535, or 0 for none", c.HTTPPort))
	case c.Verb != "run" && c.Word == "":
		errs = append(errs, errors.New("--word is empty"))
	case c.For == "forever":
		c.Takes = -1
	case c.Verb == "hook":
		var err error
		if c.Takes, err = time.ParseDuration(c.For); err != nil || c.Takes < 0 {
			errs = append(errs, fmt.Errorf("--for %q: expected a duration such as 8s, or forever", c.For))
		}
	}
	return errors.Join(errs...)
}
