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

// Package node is the Ginkgo suite of the levels with real kubelets: one spec for each scenario and arm, on real nodes or on a
// kind cluster for each arm. `kgrace regress` and `kgrace e2e` build the programs of the nodes, configure the suite and print
// the results; without them (`go test ./...`) the suite is skipped.
//
// The scenarios of an arm run concurrently in the background; a spec waits for its result and checks its verdicts. A failure
// begins with "red:" if a verdict differs from what the catalogue expects, and with "invalid:" if the run never reached the
// point where the rule applies.
package node
