// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package prove fills the cells of a matrix with git am, go build, the type checker, upstream's tests, and the catalogue at
// the sim level.
//
// It works in its own trees, clones of the stock arm under the output directory, and removes them when it is closed; it only
// reads the arms' own trees. The catalogue's verdicts on a tree are stored beside the cells, because the cells of several
// patches need the same trees.
//
// Real are the patches, the compiler, the tests, and the kubelet code of each tree. The scenarios run with the simulated
// runtime of the sim level. The tests run without the race detector; `kgrace intree` runs them with it on the fixed arm.
package prove
