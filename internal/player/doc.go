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

// Package player plays one scenario at a place: it injects the faults, creates the pod, waits until the scenario can begin,
// carries out the steps at their times, observes until the scenario is over, and records its actions in the scenario's history.
//
// A Place is a node in memory (internal/simkubelet), or a real node or a kind cluster (internal/regress). The code is the same
// for all of them, in virtual and in real time; the caller decides when a play begins, how many run at once and what happens to
// the history.
package player
