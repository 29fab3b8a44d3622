// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package conformance compares the simulated runtime with a real one. A Sequence is a list of CRI calls at given times about
// one container. Prepare and the function it returns run it through the interface of the CRI client and record what an observer
// sees: return values and their times, the signals and hook lines of the container, its exit, the runtime's events, its last
// state. The same sequence must leave the same trace on internal/sim (virtual time) and on a real containerd (through the
// kubelet's own CRI client and the recording proxy).
//
// Times in a trace are whole seconds since the first step. A real machine may be up to 0.9 s late without changing a trace; it
// is never early. Nothing is retried.
//
// The traces under testdata are what each simulated runtime does; those of containerd were written by a real one. Remote.Play, for
// `kgrace conformance --runtime-endpoint`, plays the sequences on any runtime that serves the CRI on a unix socket: through the
// proxy, with a script in place of the actor and the container's log in place of its lines, so that any image with sh does. It
// leaves nothing there. CRI-O is not run here (see package sim): tests serve the simulator on a socket instead.
package conformance
