// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"

	"github.com/kgrace/kgrace/internal/history"
)

// Behaviour names the runtime to simulate.
type Behaviour string

const (
	// Containerd is containerd 2.x. The conformance sequences check it against the real one.
	Containerd Behaviour = "containerd"
	// CRIO is CRI-O 1.37 by its source and observations; see the package documentation.
	CRIO Behaviour = "crio"
)

// Behaviours returns all behaviours.
func Behaviours() []Behaviour { return []Behaviour{Containerd, CRIO} }

// Options describe a runtime.
type Options struct {
	// Behaviour is the runtime to simulate; "" is Containerd.
	Behaviour Behaviour
	// Sink receives the events; nil discards them. It is called with the runtime's lock held: it must not call the runtime and
	// must not wait.
	Sink history.Sink
	// Reads also records read-only calls (lists, statuses, stats, versions).
	Reads bool
	// SignalLatency is the time from the runtime's decision to the delivery of a signal; 0 is at once. On containerd a call
	// that is cancelled in that time sends no signal, and no later call repeats a TERM lost that way.
	SignalLatency time.Duration
	// StartLatency is the time that StartContainer takes before the process runs; RunLatency is the same for RunPodSandbox.
	StartLatency, RunLatency time.Duration
	// SandboxLatency is the time that stopping a sandbox takes after its containers are gone.
	SandboxLatency time.Duration
}

// Program is the behaviour of a container's main process. The zero value exits at once on TERM, with code 0.
type Program struct {
	// Stubborn ignores TERM; otherwise the process exits ExitAfterTerm after the first TERM.
	Stubborn      bool
	ExitAfterTerm time.Duration
	// Brief makes the process exit by itself ExitAfter its start (0 is at once).
	Brief     bool
	ExitAfter time.Duration
	// ExitCode is the exit code unless a signal ends the process.
	ExitCode int32
	// HTTPPort, if set, is the port on which the process accepts HTTP requests. It never answers them unless HTTPAnswers is
	// set: then it answers with 200 after HTTPTakes.
	HTTPPort    int
	HTTPAnswers bool
	HTTPTakes   time.Duration
}
