// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sim is the Ginkgo suite of the sim level: one spec for each scenario and behaviour of the runtime, on the arm whose
// kubelet the suite was compiled with. `kgrace regress --level sim` compiles it once for each arm and runs it; without it the
// suite is skipped. TestProperties, which `kgrace properties` runs, plays random scenarios instead, and
// TestCrowd, for `kgrace scale`, many pods of one node at once.
package sim
