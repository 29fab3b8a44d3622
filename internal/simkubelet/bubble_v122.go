//go:build kgrace_sim && kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simkubelet

import (
	"time"
	_ "unsafe" // go:linkname
)

// neverExitWatch is the channel that a reflector without a resync period waits for in v1.22's client-go; it never sends. It is
// created with the program, outside of the bubble, and virtual time does not advance while a goroutine waits for something
// outside of its bubble.
//
//go:linkname neverExitWatch k8s.io/client-go/tools/cache.neverExitWatch
var neverExitWatch <-chan time.Time

// enter replaces, inside a bubble, the package variables of libraries that the kubelet waits for.
func enter() { neverExitWatch = make(chan time.Time) }
