// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"path"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/actor"
)

// usageError is a command line that the actor refuses. The process exits with actor.ExitUsage.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

// missingError is a program that the image does not contain.
type missingError struct{ name string }

func (e *missingError) Error() string {
	return fmt.Sprintf("exec: %q: executable file not found in $PATH", e.name)
}

// parseCommand parses a command line with its environment. The error is a *missingError or a *usageError.
func parseCommand(argv []string, env []*runtimev1.KeyValue) (actor.Command, error) {
	if len(argv) == 0 {
		return actor.Command{}, &missingError{}
	}
	if path.Base(argv[0]) != "actor" {
		return actor.Command{}, &missingError{argv[0]}
	}
	c, err := actor.Parse(argv[1:], func(name string) string { return variable(env, name) })
	if err != nil {
		return c, &usageError{err}
	}
	return c, nil
}

// speakerOf returns the owner of a command's output lines.
func speakerOf(c actor.Command) owner { return owner{c.Pod, c.Container} }

// programOf returns the behaviour of the process that a command starts.
func programOf(c actor.Command) Program {
	p := Program{Stubborn: c.Stubborn, HTTPPort: c.HTTPPort, ExitCode: int32(c.ExitCode)}
	if c.Verb == "run" {
		p.ExitAfterTerm = max(c.ExitAfterTerm, 0)
		p.Brief, p.ExitAfter = c.ExitAfter >= 0, max(c.ExitAfter, 0)
	}
	return p
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
