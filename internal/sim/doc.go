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
// # Real and simulated parts
//
// The package uses no processes, containers or sockets. The main processes and execs of containers are state machines that
// behave like cmd/actor with the same command line; a container with any other program does not start. Calls take no time
// unless Options or a Fault says so. The connection between a call and its handler is simulated: a cancelled client gets
// Canceled at once, while its handler continues with a cancelled context. Deadlines are those of the kubelet's client: two
// minutes; for StopContainer, and for ExecSync with a timeout, two minutes beyond the timeout; none for ExecSync without a
// timeout.
//
// # Behaviours
//
// internal/sim/conformance checks the containerd behaviour against a real containerd: the same call sequences run on both and
// must leave the same trace (make conformance). That found two errors in the simulator: it announced the exit of a container
// that had failed to start, which containerd reports only on request, and it forgot the owner of a removed container.
//
//   - Each StopContainer is independent: it has its own timer, and the first to expire kills. Only the first one with a timeout
//     above 0 sends TERM; it is marked as sent before it is sent, so a call cancelled in between (Options.SignalLatency) loses it
//     for good. A cancelled call returns its context's error, and its timer is gone.
//   - Timeout 0 is KILL at once. StopPodSandbox and RemoveContainer stop with 0. Stopping an exited or unknown container
//     succeeds.
//   - The process of a cancelled exec, or of one at its timeout, is killed.
//   - A restart (Down, Up) loses the timers and the mark; containers, and processes started by execs, keep running.
//
// The project's machines do not run CRI-O, so its behaviour cannot be checked against a real one here. It follows CRI-O's
// source and observations on a real 1.37.0 (its table is in the project's notes), and unit tests hold the simulator to that.
//
//   - Each container has one stop loop, begun by the first StopContainer: TERM once, KILL at the earliest target of any call,
//     at least 10 ms after TERM. Later targets change nothing.
//   - A cancelled StopContainer does not affect the loop, but its handler unmounts the root filesystem of the running container
//     (ContainerStatus's verbose Info reports that) and ends only with the container.
//   - The loop holds the container's lock: ContainerStats, UpdateContainerResources and StopPodSandbox wait for the container's
//     exit; StopPodSandbox cannot hurry it. Without a loop StopPodSandbox stops with a common timeout of 10 s.
//   - An exec does not notice that its client has gone, and no exec can start while the container is being stopped.
//   - The loop is in the daemon's memory: Down loses it, and the next stop sends TERM again and starts anew.
package sim
