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

// Package shard splits a run at the sim level over machines and merges the results: scenarios of the catalogue one by one,
// random scenarios by seed. A machine computes its part from two numbers; there is no coordinator.
//
// A part leaves a manifest beside its artifacts, last of all: what was asked for in all, which part it was, and the digests of
// the suites that it ran. Merge takes parts only if they are of one run, each there once and none missing, and makes the folder
// that one machine would have left.
//
// Real: the split, the checks, and the same tables, histories, JUnit and HTML as of a run in one piece. Not there: carrying the
// files. That is the business of a shared volume.
package shard
