// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package tool runs go and git as child processes. Their results depend only on the arguments: the caller's settings
// (GOFLAGS, GIT_DIR, the user's git configuration, ...) are removed, and the Go toolchain is the pinned one.
//
// A child runs in a process group of its own. When the context ends, the whole group gets a SIGTERM and, after a while, is
// killed, so go build's compilers do not outlive their parent.
package tool
