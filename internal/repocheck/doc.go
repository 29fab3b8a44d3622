// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package repocheck checks the files of this repository: a licence header on every Go and shell file, a doc comment on
// every package, the size of files, the direction of imports, and forbidden words. It checks the files that git tracks or
// would track, not ignored ones.
package repocheck
