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

// Package control detects stalls of the host. It waits as the kubelet waits and does nothing else, so that a delay of the
// kubelet can be told from one of the machine, and records every stall with its length.
//
// It waits in three ways:
//
//   - A timer that is due every 50 ms (DetectStalls). The process of the recorder does this too, because a call that is recorded late
//     looks like one that was made late.
//   - A watch of the node's pods, with the kubelet's own credentials, over the kubelet's own way to the API server (Pods). What it
//     sees of a pod that is to end is recorded with the moment.
//   - After such an event, and again when the grace period in it is over, what the kubelet then has to do: a chain of short pieces
//     of work, each by another goroutine. It takes 20 ms of CPU. What it takes longer than that is a delay: a program that only
//     waits is served before one that also works, and the kubelet works.
//
// The program in beside runs next to the kubelet, in the same parent cgroup.
//
// Not real: it asks the runtime nothing, because the recorder has the runtime's own delays.
package control
