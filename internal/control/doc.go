// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package control detects stalls of the host. A control waits as the kubelet does and does nothing else, so that a delay of the
// kubelet can be distinguished from one of the machine, and records every stall with its length.
//
// It waits in three ways:
//
//   - A timer that is due every 50 ms (DetectStalls). The recorder's process runs one too, because a call that is recorded late
//     looks like a call that was made late.
//   - A watch of the node's pods, with the kubelet's own credentials, over the kubelet's own way to the API server (Pods). It
//     records what it sees of terminating pods, with the time.
//   - After such an event, and again at the end of its grace period, a stand-in for the kubelet's work: a chain of short pieces
//     of work, each on another goroutine, which takes 20 ms of CPU time. Any time beyond that is a delay: the scheduler favours
//     a program that only waits over one that also works, and the kubelet works. It begins at most every 100 ms, once for all
//     events before.
//
// The program in beside runs next to the kubelet, in the same parent cgroup.
//
// Not real: it makes no runtime calls, because the recorder measures the runtime's own delays.
//
// Stop is another control, for how long API server and runtime need to end many pods: it takes the place of a kubelet that was
// killed, and makes only the calls that end a pod.
package control
