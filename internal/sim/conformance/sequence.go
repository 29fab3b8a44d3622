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

package conformance

import (
	"slices"
	"time"
)

// Sequence is what is done to one container.
type Sequence struct {
	// Name is a DNS label; the pod has it, too.
	Name string
	// Why says what the sequence is to show.
	Why string
	// Args are those of `actor run`.
	Args []string
	// Unstarted leaves the container as it was made: the sequence starts it.
	Unstarted bool
	Steps     []Step
	// Until is when the observer looks a last time. Every call must have returned by then.
	Until time.Duration
}

// Step is one call.
type Step struct {
	// At counts from the first step. Steps of one moment are sent in their order, but the later ones do not wait for what
	// becomes of the earlier.
	At   time.Duration
	Call Call
	// Timeout is that of Stop and Exec, in seconds.
	Timeout int64
	// Within, if set, is the client's own deadline for the call.
	Within time.Duration
	// Argv is the command line of Exec.
	Argv []string
	// Of is the step whose call Cancel cancels, counted from 0. An Of that comes later has its context cancelled before it
	// is sent.
	Of int
	// On is what the call is about; "" is the running container.
	On Object
}

// Call is a kind of step.
type Call string

// The calls of steps. Start, Stop, Remove, Exec and Status are about a container, the others about its sandbox. Create makes
// another container named second in the sandbox.
const (
	Create        Call = "create"
	Start         Call = "start"
	Stop          Call = "stop"
	Remove        Call = "remove"
	Exec          Call = "exec"
	Status        Call = "status"
	StopSandbox   Call = "stop-sandbox"
	RemoveSandbox Call = "remove-sandbox"
	// Cancel is no call: it ends the context of another.
	Cancel Call = "cancel"
	// Restart is no call: the runtime's daemon is killed and started again, which takes up to two seconds.
	Restart Call = "restart"
)

// Object is what a call is about.
type Object string

const (
	// Running is the container with the sequence's Args, running when the first step is due unless Unstarted.
	Running Object = ""
	// Second is what Create made; it is not running.
	Second Object = "second"
	// Unknown is an id that nobody gave.
	Unknown Object = "unknown"
)

// Restarts reports whether the runtime is restarted in it. Such sequences disturb all others.
func (q Sequence) Restarts() bool {
	return slices.ContainsFunc(q.Steps, func(s Step) bool { return s.Call == Restart })
}
