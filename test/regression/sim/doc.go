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

// Package sim is the Ginkgo suite of the sim level: one spec for each scenario and behaviour of the runtime, on the arm whose
// kubelet the suite was compiled with. `kgrace regress --level sim` compiles it once for each arm and runs it; without it the
// suite is skipped. TestProperties, which `kgrace properties` runs, plays random scenarios instead, and
// TestCrowd, for `kgrace scale`, many pods of one node at once.
package sim
