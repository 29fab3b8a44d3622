// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"strings"
)

// LateBy returns by how many seconds the runtime was late, if a verdict depends on the kubelet's request rather than the death;
// otherwise 0.
func (r Result) LateBy() float64 {
	most := 0.0
	for _, one := range r.Rules {
		most = max(most, one.RuntimeLate)
	}
	return most
}

func RuntimeLate(seconds float64) string { return fmt.Sprintf("runtime late by %.1f s", seconds) }

// SecondRun describes a second run and its reason.
func (r Result) SecondRun() string {
	return "second run, alone on its node; the first was inconclusive: " + r.Second
}

// lateness returns one line with the largest delays of runtime and controls on each arm and the number of second runs. It is
// empty if none was recorded.
func (r Results) lateness() string {
	var parts []string
	for _, arm := range r.Arms {
		runtime, control, again := 0.0, 0.0, 0
		for _, one := range r.Results {
			if one.Arm != arm {
				continue
			}
			runtime, control = max(runtime, one.Figures.RuntimeLate), max(control, one.ControlLate)
			if one.Second != "" {
				again++
			}
		}
		if runtime > 0 || control > 0 || again > 0 {
			parts = append(parts, fmt.Sprintf("%s: runtime %.1f s, control %.2f s, %d run twice", arm, runtime, control, again))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "late by at most: " + strings.Join(parts, "; ")
}
