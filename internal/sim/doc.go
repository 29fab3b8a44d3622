// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
// CRI-O is not among the programs that the project builds, so no check here runs it. The behaviour follows CRI-O's source and what
// the sequences showed on a real 1.37.0 of August 2026; unit tests hold the simulator to that, and `kgrace conformance
// --runtime-endpoint` compares any CRI-O with it.
//
//   - Each container has one stop loop, begun by the first StopContainer: TERM once, then KILL at the earliest time that a
//     timeout gives. Later ones change nothing. The loop reads timeouts when its `runc kill TERM` has returned, here
//     10 ms after TERM; ten are held until then, and more are dropped. No timeout counts from before TERM.
//   - A created container has a process, too: a stop ends it with code 2, and it cannot start any more.
//   - A cancelled StopContainer does not affect the loop, but its handler unmounts the root filesystem of the running container
//     (ContainerStatus's verbose Info reports that) and ends only with the container.
//   - The loop holds the container's lock: ContainerStats, UpdateContainerResources and StopPodSandbox wait for the container's
//     exit; StopPodSandbox cannot hurry it. Without a loop StopPodSandbox stops with the whole seconds until its client's
//     deadline, less one: 118 s for the kubelet.
//   - RemoveContainer and RemovePodSandbox stop with what is left until their client's deadline, and go on without the client.
//     The loser of two removals gets an error (here the later, there any). RemovePodSandbox announces no removal.
//   - An exec does not notice that its client has gone. It can start until KILL is on its way (CRI-O up to 1.34: until a stop
//     begins); in a container that has ended it is NotFound.
//   - The loop is in the daemon's memory: Down loses it, and the next stop sends TERM again and starts anew.
package sim
