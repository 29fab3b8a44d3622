// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package node is the Ginkgo suite of the levels with real kubelets: one spec for each scenario and arm, on real nodes or on a
// kind cluster for each arm. `kgrace regress` and `kgrace e2e` build the programs of the nodes, configure the suite and print
// the results; without them (`go test ./...`) the suite is skipped.
//
// The scenarios of an arm run concurrently in the background; a spec waits for its result and checks its verdicts. A failure
// begins with "red:" if a verdict differs from what the catalogue expects, and with "invalid:" if the run never reached the
// point where the rule applies.
package node
