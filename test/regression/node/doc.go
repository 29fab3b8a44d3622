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

// Package node is the Ginkgo suite of the levels that run kubelets for real: one spec for each scenario and arm, on real nodes or
// on a kind cluster for each arm. `kgrace regress` and `kgrace e2e` build what the nodes run, tell the suite what to do, and print
// the results; by itself (`go test ./...`) the suite has no nodes to run on and says so.
//
// The scenarios of an arm run side by side in the background; a spec waits for its result and looks at its verdicts. A
// failure begins with "red:" when a judge saw something else than the catalogue expects, and with "invalid:" when the run
// never got to the point where the rule applies.
package node
