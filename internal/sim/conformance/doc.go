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
