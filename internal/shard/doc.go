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

// Package shard splits a run at the sim level over machines and merges the results. It splits the catalogue by scenario,
// and random scenarios by seed. A machine computes its part from two numbers; there is no coordinator.
//
// A part leaves a manifest beside its artifacts, as its last step: the scope of the whole run, the number of the part, and
// the digests of the suites that it ran. Merge accepts parts only if they belong to one run and each occurs exactly once,
// and creates the folder that a single machine would have left.
//
// The merged tables, histories, JUnit and HTML are the same as those of an undivided run. The package does not transport
// files; use a shared volume.
package shard
