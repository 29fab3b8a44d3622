// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"fmt"
	"time"

	"github.com/kgrace/kgrace/internal/scenario"
)

// The contract binds the kubelet. If a history shows the kubelet's runtime calls, a container's death is not an action of the
// kubelet: a kill requested in time, with the right timeout, is correct, however late the runtime carried it out. If the
// kubelet made no request, or the container never died, the time of death decides.

// carriedOutLate returns how late the runtime killed a container that lived past by although the kubelet had requested its end
// by then; false if the kubelet had not.
func (f *facts) carriedOutLate(c *container, by time.Time) (time.Duration, bool) {
	if f.Slack == 0 || c.exit == nil || !c.exit.killed() {
		return 0, false
	}
	due, asked := f.asked(c)
	if !asked || due.After(by) {
		return 0, false
	}
	return c.exit.at.Sub(due), true
}

// asked returns the earliest time at which the runtime had to kill a container, by the stop calls in force until its exit. A
// call that failed or was cancelled while the container lived was not in force; its caller had to make another.
func (f *facts) asked(c *container) (due time.Time, asked bool) {
	for _, s := range c.stops {
		if !c.aliveAtCall(s) || s.err != "" && c.aliveAtReturn(s) {
			continue
		}
		if !asked || s.target().Before(due) {
			due, asked = s.target(), true
		}
	}
	return due, asked
}

// excuse records that a verdict depends on the kubelet's request rather than the time of death.
func (f *facts) excuse(late time.Duration) { *f.carried = max(*f.carried, late) }

// standing adds the runtime's delay to a finding that depends on the kubelet's request.
func (f *facts) standing(found Finding) Finding {
	if late := *f.carried; late > 0 && found.Outcome == scenario.Held {
		found.RuntimeLate = late.Seconds()
		found.Why += fmt.Sprintf("; runtime late by %.1f s", late.Seconds())
	}
	return found
}
