// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package intree tests a series with the Go tests of the tree.
//
// On the fixed arm every test of every package that the series changes must pass, under the race detector. On the stock arm
// the tests that the series adds or changes must fail, each for the reason that patches/<minor>/intree.yaml names, or pass
// if that file marks them as kept. A test that fails on stock for another reason, or does not run, proves nothing and never
// counts as red.
//
// The tests of the fixed tree are laid over the stock tree with go's -overlay; nothing is written into either tree.
// Entirely new packages are laid over too, since stock does not use them. Some tests use functions that stock does not
// have. Such a test cannot compile there, and the compiler's error is its reason; the rest of its package is compiled
// without it (see transplant.go).
//
// Packages under test/ need a node or a cluster; internal/e2enode vets and runs them. Their specs are declared in the same
// file, and this package compares them with the specs that the series adds.
package intree
