// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package scale ends many stubborn pods of one node at once and compares three columns: the stock kubelet, the fixed kubelet,
// and the runtime alone.
//
// Real are the kubelet, containerd, runc, the API server and etcd (internal/localnode), and the pods' processes. One node is up
// at a time, so that it has the machine to itself. Every number of pods gets a fresh node of each arm and plays three parts on
// it: a force of running pods, a force of pods that are terminating, and a shorter delete of pods that are terminating. The
// client sends all deletes at once, one connection for all; what they took is part of the results.
//
// # The runtime alone
//
// This is the control. Pods are started by the fixed node's kubelet; then that kubelet is killed, and a program in its cgroup, with
// its credentials and its way to the API server and the runtime, takes its place. It makes only the calls that end a pod
// (control.Stop): StopContainer as the API server reports a request, another beside it for a shorter one, StopPodSandbox after the
// container. It shows how long client, API server and runtime need for so many pods. Not part of it are the kubelet's reads of the
// runtime and its status updates.
//
// # What decides
//
// A kubelet's sync loop lists all containers every two seconds and compares all pods on every change of one, so with many pods it
// reads a request late, on both arms. The last death is held against the runtime alone; where only the reading explains that it was
// late, that is invalid. What the fix decides begins there: by the kubelet's log (loop.go), each stop call is held against when the
// loop read the request, and each death against what the runtime alone needs from there, or stock where nobody is hurried.
//
// Goals are ratios within one run, and bounds that the runtime alone widens; see goals.go. A machine that is late is never red:
// when the kubelet should have asked the runtime is held against a control that waits beside it (internal/control). Figures of
// the kubelet are its own metrics; two arms differ only if all samples of one lie above all of the other.
//
// At the sim level the same question is asked about the kubelet's code alone, in virtual time: how the wall time grows with the
// number of pods (sim.go; the suite is in test/regression/sim).
package scale
