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

package judge

import (
	"fmt"
	"time"

	"github.com/kgrace/kgrace/internal/scenario"
)

// The contract binds the kubelet. Where a history shows what the kubelet asked of the runtime, a container's death is no act of
// the kubelet: a kill that was asked for in time, and with the right timeout, was done rightly, however late the runtime carried it
// out. Where nothing was asked, or the container never died, the death decides.

// carriedOutLate returns by how much the runtime was late to kill a container that lived past a moment although the kubelet had
// asked for its end by then; false if the kubelet had not.
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

// asked returns the earliest moment at which the runtime was to kill a container, by the stop calls that were in force until its
// end. A call that failed or was given up while the container lived was not; whoever made it had to make another.
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

// excuse notes that a verdict stands by what the kubelet asked for.
func (f *facts) excuse(late time.Duration) { *f.carried = max(*f.carried, late) }

// standing adds to a finding by how much the runtime was late, where the finding stands by what the kubelet asked for.
func (f *facts) standing(found Finding) Finding {
	if late := *f.carried; late > 0 && found.Outcome == scenario.Held {
		found.RuntimeLate = late.Seconds()
		found.Why += fmt.Sprintf("; runtime late by %.1f s", late.Seconds())
	}
	return found
}
