// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
