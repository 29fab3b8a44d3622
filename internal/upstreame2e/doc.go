// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package upstreame2e runs Kubernetes' own end-to-end specs about the end of a pod on two clusters, one per arm, and
// compares the results: specs that pass on stock must pass on fixed.
//
// The e2e.test binary of the release, its specs, the clusters and the kubelets are real. specs.yaml lists the specs to run
// and those to skip, with reasons. A spec about the end of a pod that is in neither list is an error, so that new specs of
// a release are not missed.
//
// The images of the specs are not real. There is no registry, so they are built here from static programs, under the names
// that the release itself lists: agnhost of the release's own source, Debian's busybox, and a small program in place of
// curl and wget. specs.yaml and every report list these replacements.
package upstreame2e
