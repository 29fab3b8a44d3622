// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package scenario is the catalogue of scenarios. A scenario is one value, written once and run on both arms at every level
// that supports it. Each file holds one family.
//
// The value defines the pod, the requests and their times, and the contract rules that the scenario proves on each arm. How to
// carry out a step and how to judge the result is up to the levels and judges. The package depends on no Kubernetes process.
package scenario
