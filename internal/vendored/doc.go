// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package vendored copies files of the fixed tree into this module and checks that the copies are up to date. A copy
// differs from its source only in the package name, in the paths of imports that are copied too, and in a line that names
// the source (see Copy). Copies are never edited by hand: change a copied file in a patch, and `kgrace update` copies the
// change.
package vendored
