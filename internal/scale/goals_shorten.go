// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"fmt"

	"github.com/kgrace/kgrace/internal/verdict"
)

// notEarly: no pod dies before its deadline, counted from the sending of its own first delete.
func (j judging) notEarly() {
	goal := "nothing dead before its deadline"
	earliest, pod := 0.0, ""
	for i, l := range j.wave.Lives {
		if spare := *l.Dead - l.Sent[0] - j.wave.Deadline; i == 0 || spare < earliest {
			earliest, pod = spare, l.Pod
		}
	}
	j.add(goal, fmt.Sprintf("the earliest, %s, %.2f s after it", pod, earliest), kept(earliest >= -grain))
}

// inWindow: every pod dies within the window after its deadline and what the runtime alone needs for so many, counted from the
// answer to its own first delete.
func (j judging) inWindow() {
	goal := fmt.Sprintf("all dead within %.0f s of their deadline and what the runtime alone needs", window)
	if j.alone == nil {
		j.add(goal, unmeasured, verdict.Invalid)
		return
	}
	measure, _ := j.alone.Last()
	needs := max(measure-j.alone.Deadline, 0)
	latest, pod := 0.0, ""
	for _, l := range j.wave.Lives {
		if over := *l.Dead - l.Answered[0] - j.wave.Deadline; pod == "" || over > latest {
			latest, pod = over, l.Pod
		}
	}
	found := fmt.Sprintf("the latest, %s, %.2f s after it; the runtime alone needs %.2f s", pod, latest, needs)
	j.inTime(goal, found, latest-window-needs, j.wave.Lost)
}
