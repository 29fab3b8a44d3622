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

// Package judge holds the rules of the termination contract as pure functions: a history in, a finding out. One file
// holds one rule. Nothing else turns a scenario red.
//
// A judge works everything out from the history and the scenario by the contract's own words; nothing of the fix is
// imported here, so a fault in the fix's arithmetic cannot excuse itself.
//
// What a judge cannot see, it bounds. The contract counts from the moment at which the pod's worker was told, on the
// kubelet's clock; a history holds when the harness sent a request and when a watch showed its effect. The worker was
// told no earlier than the first and, but for the level's slack, no later than the second. So "not before" is counted
// from the request, and "not after" from the watch event plus slack. deletionTimestamp has a resolution of one second
// and decides nothing.
//
// What asks for a pod's end is a request, whoever asks: a delete that the API server accepted, an eviction inside the kubelet,
// a static pod's manifest taken away. Steps that only disturb (a restart, a cut connection) are none, but a run in which one
// is missing or failed proves nothing.
//
// A rule that never came to apply, because no pod ran, a request was refused or the observation ended too soon, is
// Invalid: neither green nor red.
//
// Not visible in a history, and so not judged here: goroutines, contexts and timers inside the kubelet (R13), the
// identity of a returned error (R8), error metrics and back-off (R10), volumes and cgroups (R12). The unit and sim
// levels see these.
package judge
