// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package simbuild compiles the suite of the sim level for an arm: this project's own module, with the arm's tree in place of
// k8s.io/kubernetes and a few seam files overlaid onto the tree.
//
// It writes nothing into the tree or into this checkout: go.mod is passed with -modfile and the seam with -overlay, both
// generated in the output directory. The generated go.mod contains only versions that the tree or this project requires, except
// for a few higher ones that both together need. v1.22 is compiled with its tree's modules alone (old.go) and with the build
// tag kgrace_v122. Both arms get the same seam and the same suite; only the tree differs.
//
// Build compiles the suite of an arm and creates its tree; Compile accepts any directory with a tree (the first patches of a
// series, say); Run plays scenarios of the catalogue with the suite from either.
package simbuild
