// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package patchset reads, lints, applies and extracts a series of patches.
//
// A series is a directory with a file called "series", which lists one patch file per line in the order in which they apply
// (empty lines and lines that begin with '#' are ignored), and the patch files themselves, as git format-patch writes them
// and git am reads them:
//
//	patches/v1.37/series
//	patches/v1.37/0001-kubelet-keep-the-cause-of-a-failed-kill.patch
//
// The git program itself does all work on commits, without the caller's git configuration, hooks, attributes and signing
// keys: the same series on the same commit yields the same commits everywhere, and the same commits yield the same bytes.
//
// The package is independent of what the patches are about, except for Lint, which checks the conventions of this project.
package patchset
