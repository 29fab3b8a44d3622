// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package bench benchmarks UpdatePod, fixed against stock. go's -overlay lays a benchmark file of this project,
// updatepod_test.go.overlay, over the package pkg/kubelet of both trees, beside upstream's own fakes of the pod workers;
// nothing is written into either tree. Each arm is compiled once. The two programs then alternate, stock first in one round
// and fixed first in the next, so that other load affects both alike; benchstat's library compares them.
//
// The arm's pod workers are real, compiled by the toolchain of its minor; what they call is faked. The times are only valid
// for this machine; the comparison is valid in general.
//
// A benchmark is red if it is slower by more than the limit and the difference is significant. It is unclear,
// neither red nor green, if no difference is found but the samples spread wider than the limit: then a slowdown of that
// size could not be detected.
package bench
