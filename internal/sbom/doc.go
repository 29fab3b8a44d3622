// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sbom lists what is in programs and images, as SPDX 2.3 documents.
//
// The list is real: the modules in a Go program are those that its build information names, with the checksums of go.sum.
// Licences are not examined. Equal inputs give equal bytes: the caller sets the date.
//
// Scanners match packages by purl. For Kubernetes that is pkg:golang/k8s.io/kubernetes at the upstream tag: the Go
// vulnerability database, GitHub's advisories and OSV list Kubernetes' vulnerabilities under that module, and Trivy, Grype
// and osv-scanner look it up from there. They match nothing by pkg:github, and a program built from a tree does not name the
// version of its main module itself. The tag is used and not the version of the fixed programs, because databases only know
// tags; the series does not fix vulnerabilities. pkg:golang/stdlib stands for Go's standard library in the same way.
package sbom
