// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package release writes one directory for a minor from which its fixed kubelet can be installed: a static kubelet for each
// architecture, a systemd drop-in that runs it, the series as one file for git am, INSTALL.md, an SPDX document, a statement of
// provenance, and SHA256SUMS over all of them.
//
// The same inputs (versions.yaml, the series, the commit of this project) give the same bytes, in any directory, with any build
// cache and on any machine that Go runs on: nothing depends on the time, the place or the architecture of the build. The
// kubelets are real and built from the tree of the minor. Nothing is signed: the statement says what a build did, not who vouches
// for it, and the checksums only find damage. Whoever wants more builds the directory again and compares.
package release
