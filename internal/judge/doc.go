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

// Package judge checks the rules of the termination contract. A judge is a pure function from a history to a finding, one file
// per rule. Only judges turn a scenario red.
//
// A judge works everything out from the history and the scenario by the contract's own words; nothing of the fix is imported
// here, so a fault in the fix's arithmetic cannot excuse itself.
//
// What a judge cannot see, it bounds. The contract counts from the start of the pod's first terminating sync, from the moments
// at which the worker was told, and from the first sight of the deletionTimestamp, all on the kubelet's clock. A history holds
// when the harness sent a request and when a watch showed its effect: the worker was told no earlier than the first and, but
// for the level's slack, no later than the second. The sim level sees the terminating sync start; elsewhere begin.go bounds
// that. So "not before" is counted from the earliest moment that can be meant, and "not after" from the latest plus slack. The
// value of the deletionTimestamp has a resolution of one second and decides nothing.
//
// What asks for a pod's end is a request, whoever asks: a delete that the API server accepted, a kill inside the kubelet, a
// static pod's manifest taken away. Steps that only disturb (a restart, a cut connection) are none, but a run in which one is
// missing or failed proves nothing. A delete that came when the pod had left the API is not missing. What was done to the pod
// before the first request is none of the termination's.
//
// On a real node a judge holds the kubelet to what the kubelet does. A kill that it asked for in time and with the right
// timeout stands, however late the runtime carried it out (runtime_late.go). What it did too late is held against a control
// that waits as it waits, and against the runtime's own delays: if they explain it, nobody can tell whose fault it was, and the
// finding is Invalid; if not, the rule is broken (machine_late.go).
//
// A rule that never came to apply, because no pod ran, a request was refused or the observation ended too soon, is Invalid:
// neither green nor red.
//
// Not visible in a history, and so not judged here: goroutines, contexts and timers inside the kubelet (R13), the identity of a
// returned error (R8), error metrics and back-off (R10), volumes and cgroups (R12). The unit and sim levels see these.
package judge
