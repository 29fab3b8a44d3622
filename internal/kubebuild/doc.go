// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kubebuild builds the programs of a node: Kubernetes' own from the trees that package kubetree lays out, all others
// from pinned modules.
//
// Equal inputs give equal versions and binaries. A binary has a stamp beside it and is built again if its inputs changed.
//
// Files that upstream's makefiles generate before a build and that its repository does not contain (the OpenAPI
// definitions, up to v1.22) are generated with upstream's own generator and laid over the tree for that build.
//
// A minor may take programs of its node from Debian packages instead: a missing package is an error before anything is
// built.
//
// Every binary is real, made by go build. None is a release, however: it carries a version and a reproducible build date, but
// no signature.
package kubebuild
