// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package shard splits a run at the sim level over machines and merges the results. It splits the catalogue by scenario,
// and random scenarios by seed. A machine computes its part from two numbers; there is no coordinator.
//
// A part leaves a manifest beside its artifacts, as its last step: the scope of the whole run, the number of the part, and
// the digests of the suites that it ran. Merge accepts parts only if they belong to one run and each occurs exactly once,
// and creates the directory that a single machine would have left.
//
// The merged tables, histories, JUnit and HTML are the same as those of an undivided run. The package does not transport
// files; use a shared volume.
package shard
