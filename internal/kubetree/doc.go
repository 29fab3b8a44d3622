// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kubetree lays out a Kubernetes version as two source trees, the arms stock and fixed. Package kubebuild builds from
// them.
//
// The stock arm contains the files of the module k8s.io/kubernetes with two edits: go.mod requires the staging modules at
// their published versions instead of the staging directories, which the module does not include, and go.sum has their
// checksums. vendor and go.work are left out. A git checkout named by KUBE_SRC yields the same files, and so the same
// commit. The fixed arm is the stock commit with the series patches/<minor> applied.
//
// Each tree is a git repository of its own with fixed names and dates, so equal inputs give equal commits. A tree is laid
// out in a temporary directory and renamed into place with a stamp inside; a tree without a stamp for the current inputs is laid
// out again, except that edits are only discarded on request.
//
// Everything is real: modules and sums come from the go command, commits from git.
package kubetree
