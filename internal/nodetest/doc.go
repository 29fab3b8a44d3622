// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package nodetest finds, for tests of real nodes, the programs that `kgrace build` has built. It builds nothing itself.
package nodetest
