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

package result

import (
	"slices"
	"strings"
	"time"
)

// Origin is where, when and of what a run was made. A field that is not known is empty; results of histories that were judged
// again have no Origin.
type Origin struct {
	// Began is when the run began, by the machine's clock at every level.
	Began time.Time `json:"began"`
	// Machine describes the machine: system, architecture, cores, memory, kernel. It has no host name.
	Machine string `json:"machine,omitempty"`
	// Commit is the commit of the checkout, with "-dirty" if it had changes.
	Commit string `json:"commit,omitempty"`
	// Kubernetes is the tag of both arms, Go the toolchain that compiled them.
	Kubernetes string `json:"kubernetes,omitempty"`
	Go         string `json:"go,omitempty"`
	// Series describes the patches of the fixed arm: their number, the revision, and the hash of their content.
	Series string `json:"series,omitempty"`
}

// Joined returns the origin of a run whose parts have these origins: the earliest begin, and what all parts have in common.
// Machines that differ are all named. It is nil if no part has an origin.
func Joined(parts ...*Origin) *Origin {
	var all *Origin
	for _, part := range parts {
		switch {
		case part == nil:
		case all == nil:
			one := *part
			all = &one
		default:
			if part.Began.Before(all.Began) {
				all.Began = part.Began
			}
			if !slices.Contains(strings.Split(all.Machine, "; "), part.Machine) {
				all.Machine += "; " + part.Machine
			}
			for _, pair := range [][2]*string{{&all.Commit, &part.Commit}, {&all.Kubernetes, &part.Kubernetes}, {&all.Go, &part.Go}, {&all.Series, &part.Series}} {
				if *pair[0] != *pair[1] {
					*pair[0] = ""
				}
			}
		}
	}
	return all
}
