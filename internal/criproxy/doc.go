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

// Package criproxy proxies the calls between the kubelet and a container runtime, on unix sockets. It forwards every call
// unchanged, records calls and returns, injects faults into chosen ones, and records when the runtime reports that containers
// ended.
//
// What is passed on exactly: the method (known or not, unary or streaming), the bytes of every message, metadata both ways,
// headers, trailers, status with details, the caller's deadline and the caller's cancellation. What is not: the caller's
// user-agent and connection, which are the proxy's own towards the runtime. While the runtime is down calls fail with
// Unavailable at once, as they would without the proxy.
//
// What is recorded: method, pod, container, the timeout of StopContainer, the command of ExecSync, the gRPC status, and the
// time of entry and of return. Nothing else of a request is kept: no environment, no registry credentials, no output.
//
// When a container ended comes from the runtime. Its container events carry the containers' statuses; finishedAt there is the
// moment the shim reaped the main process, on the machine's clock, usually well under 10 ms after its death. Where the
// container is gone before the event was put together, the event's own createdAt is used (some milliseconds to a few tens
// later, exit code unknown), and the record's message says so. The proxy also reads the status replies that pass through it
// and, whenever it has (re)subscribed, asks for containers that ended meanwhile; each container's exit is recorded once, from
// whichever came first. Only a container that ended and was removed while the subscription was down, and whose status nobody
// asked for, goes unrecorded. containerd before 1.7 has no container events in its CRI; there the proxy follows containerd's
// own events, which have the same moment and code. A runtime with neither still has its exits recorded from the replies, with
// the same finishedAt but later than they happened; Proxy.ExitsErr then says so.
//
// Kubelets up to 1.22 speak CRI v1alpha2, those up to 1.25 as well. Its calls are recorded and made to fail as those of v1 are.
// Between the proxy and the runtime, what the proxy asks by itself is v1.
package criproxy
