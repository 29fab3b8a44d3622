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

// neverExitWatch is what a reflector without a resync period waits for, in v1.22's client-go: a channel that never sends. It
// is made with the program, and virtual time does not go on while anything waits for what is not of its bubble.
//
//go:linkname neverExitWatch k8s.io/client-go/tools/cache.neverExitWatch
var neverExitWatch <-chan time.Time

// enter makes anew, in a bubble, what libraries keep in package variables and wait for.
func enter() { neverExitWatch = make(chan time.Time) }
