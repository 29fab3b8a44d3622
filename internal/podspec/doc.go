// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package podspec builds a scenario's pod, as an API object or a manifest, its faults at the runtime, and its start and end
// conditions. They are the same at every level.
//
// The package runs nothing: internal/player plays scenarios, on nodes (internal/regress) and in memory (internal/simkubelet).
// With the build tag kgrace_v122 it compiles with the API types of v1.22, for the sim level of that minor.
package podspec
