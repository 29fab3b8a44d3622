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

// inWindow: every pod dies within the window after its deadline and what so many pods need, counted from the answer to its own first
// delete. That is what the runtime alone needs or, if more, how late stock's last pod is after its whole grace period.
func (j judging) inWindow() {
	goal := fmt.Sprintf("all dead within %.0f s of their deadline and what the runtime alone or stock needs", window)
	if j.alone == nil {
		j.add(goal, "there is no measure of the runtime alone", verdict.Invalid)
		return
	}
	measure, _ := j.alone.Last()
	needs, by := max(measure-j.alone.Deadline, 0), string(Alone)
	if j.wave.Column == Fixed && j.stock != nil {
		if last, _ := j.stock.Last(); last-float64(j.stock.Grace) > needs {
			needs, by = last-float64(j.stock.Grace), string(Stock)
		}
	}
	latest, pod := 0.0, ""
	for _, l := range j.wave.Lives {
		if over := *l.Dead - l.Answered[0] - j.wave.Deadline; pod == "" || over > latest {
			latest, pod = over, l.Pod
		}
	}
	found := fmt.Sprintf("the latest, %s, %.2f s after it; %s needs %.2f s", pod, latest, by, needs)
	j.inTime(goal, found, latest-window-needs, j.wave.Lost)
}
