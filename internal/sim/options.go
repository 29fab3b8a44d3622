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
	"time"

	"github.com/kgrace/kgrace/internal/history"
)

// Behaviour names the runtime to simulate.
type Behaviour string

const (
	// Containerd is containerd 2.x. It is held against the real one by the conformance script.
	Containerd Behaviour = "containerd"
	// CRIO is CRI-O 1.37 as it was read and seen; see the package's documentation.
	CRIO Behaviour = "crio"
)

// Behaviours returns all of them.
func Behaviours() []Behaviour { return []Behaviour{Containerd, CRIO} }

// Options describe a runtime.
type Options struct {
	// Behaviour is the runtime to simulate; "" is Containerd.
	Behaviour Behaviour
	// Sink receives what happens; nil for nowhere. It is called with the runtime's lock held: it must not call the
	// runtime and must not wait.
	Sink history.Sink
	// Reads records calls that only look (lists, statuses, stats, versions) too.
	Reads bool
	// SignalLatency is how long a signal takes from the runtime's decision to the process; 0 is at once. On containerd a
	// call that is cancelled in that time sends no signal, and no later one repeats a TERM that was lost so.
	SignalLatency time.Duration
	// StartLatency is how long StartContainer takes before the process runs, RunLatency the same of RunPodSandbox.
	StartLatency, RunLatency time.Duration
	// SandboxLatency is how long it takes to stop a sandbox once what ran in it is gone.
	SandboxLatency time.Duration
}

// Program is what the main process of a container does. The zero value ends at once on TERM, with code 0.
type Program struct {
	// Stubborn ignores TERM; otherwise it ends ExitAfterTerm after the first one.
	Stubborn      bool
	ExitAfterTerm time.Duration
	// Brief ends by itself ExitAfter its start (0 is at once).
	Brief     bool
	ExitAfter time.Duration
	// ExitCode is the code when it ends otherwise than by a signal.
	ExitCode int32
	// HTTPPort, if set, is where it takes HTTP requests. It never answers them, unless HTTPAnswers: then with 200 after
	// HTTPTakes.
	HTTPPort    int
	HTTPAnswers bool
	HTTPTakes   time.Duration
}
