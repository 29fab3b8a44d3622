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

// Package podspec builds a scenario's pod, as an API object or a manifest, its faults at the runtime, and its start and end
// conditions. They are the same at every level.
//
// The package runs nothing: internal/player plays scenarios, on nodes (internal/regress) and in memory (internal/simkubelet).
// With the build tag kgrace_v122 it compiles with the API types of v1.22, for the sim level of that minor.
package podspec
