// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Sequence is a list of steps on one container.
type Sequence struct {
	// Name is a DNS label; it is also the pod's name.
	Name string
	// Why is the purpose of the sequence.
	Why string
	// Args are the arguments of `actor run`.
	Args []string
	// Unstarted leaves the container created but not started; the sequence starts it.
	Unstarted bool
	Steps     []Step
	// Until is when the observer looks for the last time. Every call must have returned by then.
	Until time.Duration
}

// Step is one call.
type Step struct {
	// At counts from the first step. Steps with the same time are sent in order, but the later ones do not wait for the results
	// of the earlier ones.
	At   time.Duration
	Call Call
	// Timeout is the timeout of Stop and Exec in seconds.
	Timeout int64
	// Within, if set, is the client's own deadline for the call.
	Within time.Duration
	// Argv is the command line of Exec.
	Argv []string
	// Of is the index of the step whose call Cancel cancels. If that step comes later, its context is cancelled before it is
	// sent.
	Of int
	// On is the object of the call; "" is the running container.
	On Object
}

// Call is a kind of step.
type Call string

// The calls of steps. Start, Stop, Remove, Exec and Status act on a container, the others on its sandbox. Create creates a
// second container named second in the sandbox.
const (
	Create        Call = "create"
	Start         Call = "start"
	Stop          Call = "stop"
	Remove        Call = "remove"
	Exec          Call = "exec"
	Status        Call = "status"
	StopSandbox   Call = "stop-sandbox"
	RemoveSandbox Call = "remove-sandbox"
	// Cancel is not a call: it cancels the context of another one.
	Cancel Call = "cancel"
	// Restart is not a call: it kills the runtime's daemon and starts it again, which takes up to two seconds.
	Restart Call = "restart"
)

// Object is the object of a call.
type Object string

const (
	// Running is the container with the sequence's Args, running when the first step is due unless Unstarted.
	Running Object = ""
	// Second is the container that Create created; it is not running.
	Second Object = "second"
	// Unknown is an id that does not exist.
	Unknown Object = "unknown"
)

// Restarts reports whether the sequence restarts the runtime. Such sequences disturb all others.
func (q Sequence) Restarts() bool {
	return slices.ContainsFunc(q.Steps, func(s Step) bool { return s.Call == Restart })
}

// Pick returns the named sequences; all without names.
func Pick(names []string) ([]Sequence, error) {
	all := Sequences()
	if len(names) == 0 {
		return all, nil
	}
	var picked []Sequence
	for _, name := range names {
		i := slices.IndexFunc(all, func(s Sequence) bool { return s.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown sequence %q; known: %s", name, strings.Join(namesOf(all), ", "))
		}
		picked = append(picked, all[i])
	}
	return picked, nil
}

func namesOf(all []Sequence) (names []string) {
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}
