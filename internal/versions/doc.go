// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package versions reads versions.yaml, which pins every external version: the Kubernetes minors with their staging modules
// and Go toolchain, and the other programs of a real node.
//
// It also checks the main module's go.mod against it (CheckGoMod, UpdateGoMod): k8s.io/kubernetes is not meant to be
// imported, so its staging modules must be replaced one by one, and those lines are generated.
package versions
