// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package player plays one scenario at a place: it injects the faults, creates the pod, waits until the scenario can begin,
// carries out the steps at their times, observes until the scenario is over, and records its actions in the scenario's history.
//
// A Place is a node in memory (internal/simkubelet), or a real node or a kind cluster (internal/regress). The code is the same
// for all of them, in virtual and in real time; the caller decides when a play begins, how many run at once and what happens to
// the history.
package player
