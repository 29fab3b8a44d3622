//go:build kgrace_sim

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

//go:debug randseednop=0

package sim

// The directive makes each play start with the same random numbers: see Run in package simkubelet.
