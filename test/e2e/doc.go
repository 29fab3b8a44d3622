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

// Package e2e is the Ginkgo suite of the kind level: one spec for each scenario and arm, on a kind cluster for each arm.
// `kgrace e2e` makes the node images, tells the suite what to do, and prints the results; by itself (`go test ./...`) the suite
// has no images and says so. The specs are those of internal/regress/suite.
package e2e
