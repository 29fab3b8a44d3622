// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package criproxy proxies the calls between the kubelet and a container runtime, on unix sockets. It forwards every call
// unchanged, records calls and returns, injects faults into chosen calls, and records when containers ended according to
// the runtime.
//
// The proxy preserves the method (known or not, unary or streaming), the bytes of every message, metadata in both
// directions, headers, trailers, status with details, the caller's deadline and the caller's cancellation. It does not
// preserve the caller's user-agent and connection: towards the runtime these are the proxy's own. While the runtime is
// down, calls fail with Unavailable at once, as they would without the proxy.
//
// The proxy records method, pod, container, the timeout of StopContainer, the command of ExecSync, the gRPC status, and the
// times of entry and return. It records nothing else of a request: no environment, no registry credentials, no output.
//
// The runtime determines when a container ended. Its container events carry the containers' statuses, whose finishedAt is
// the time at which the shim reaped the main process, by the machine's clock, usually well under 10 ms after its death. If
// the container is gone before the runtime puts the event together, the proxy uses the event's own createdAt (some
// milliseconds to a few tens later, exit code unknown), and the record's message says so. The proxy also reads the status
// replies that pass through it and, whenever it has (re)subscribed, asks for containers that ended meanwhile; it records
// each container's exit once, from the first source. The only unrecorded exit is that of a container that ended and was
// removed while the subscription was down, and whose status nobody requested. containerd before 1.7 has no container events
// in its CRI; there the proxy follows containerd's own events, which carry the same time and code. For a runtime with
// neither, the proxy records exits from the replies, with the same finishedAt but later than they happened; Proxy.ExitsErr
// then returns an error.
//
// Kubelets up to 1.22 speak only CRI v1alpha2, those up to 1.25 also speak it. The proxy records its calls and injects
// faults into them like those of v1. The proxy's own requests to the runtime use v1.
package criproxy
