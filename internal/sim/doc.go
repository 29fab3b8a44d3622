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

// Package sim simulates a container runtime in memory, behind the interface of the kubelet's CRI client. It stops containers as
// containerd or CRI-O does, and uses the clock of package time: in a synctest bubble a grace period of an hour takes
// microseconds. It sends the same kinds of events to a history.Sink as a real node.
//
// # What is real and what is not
//
// Nothing here is a process, a container or a socket. The main processes and execs of containers are state machines that do
// what cmd/actor does with the same command line; a container with any other program does not start. Calls take no time unless
// Options or a Fault says so. Between a call and its handler lies what a connection means: a cancelled client gets Canceled at
// once, its handler sees a cancelled context and goes its own way. Deadlines are those of the kubelet's client: two minutes,
// for StopContainer beyond its timeout, for ExecSync with a timeout beyond that, and none for ExecSync without one.
//
// # Manners
//
// Containerd's are held against a real containerd by internal/sim/conformance: the same call sequences run on both and must
// leave the same trace (make conformance). Where they differed the simulator was wrong: it announced the end of a container
// that had failed to start, which containerd tells nobody who does not ask, and it forgot whose a removed container was.
//
//   - Each StopContainer is on its own: its own timer, the first to expire kills. TERM is sent by the first with a timeout
//     above 0 only; the mark that it was is set before it is, so that a call cancelled in between (Options.SignalLatency)
//     loses it for good. A cancelled call returns its context's error, and its timer is gone.
//   - Timeout 0 is KILL at once. StopPodSandbox and RemoveContainer stop with 0. Stopping what has ended or is unknown
//     succeeds.
//   - A cancelled exec, or one at its timeout, is killed.
//   - A restart (Down, Up) loses timers and the mark; containers, and what execs started, run on.
//
// CRI-O's cannot be held against a real one here: nothing on the project's machines runs it. They follow what was read in CRI-O
// and seen on a real 1.37.0 (its table is in the project's notes), and unit tests hold the simulator to that.
//
//   - One stop loop for a container, begun by the first StopContainer: TERM once, KILL at the earliest target any call has
//     given, at least 10 ms after TERM. Later targets change nothing.
//   - A cancelled StopContainer changes nothing about the loop, but its handler takes the root filesystem away under the
//     running container (ContainerStatus's verbose Info says so) and ends only with the container.
//   - While the loop runs the container's lock is held: ContainerStats, UpdateContainerResources and StopPodSandbox wait for
//     the container's end; the latter cannot hurry it. Otherwise StopPodSandbox stops with a common timeout of 10 s.
//   - An exec does not notice that its client went away, and none can be started while the container is being stopped.
//   - The loop is in the daemon's memory: Down loses it, and the next stop sends TERM once more and starts anew.
package sim
