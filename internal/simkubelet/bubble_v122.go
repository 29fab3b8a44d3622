//go:build kgrace_sim && kgrace_v122

/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

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
