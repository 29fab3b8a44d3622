// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Outline is the data that the judges derive from a history before they apply a rule, for a report to draw. It does not affect
// a verdict.
type Outline struct {
	// Start is when the first request was sent; the times in findings count from it.
	Start time.Time
	// Deadlines are the pod's deadline over time: one for each accepted request, in order.
	Deadlines []Moved
	// Late maps each container to the latest time at which the contract allows its kill, without the level's slack: the
	// deadline plus the stop window or the rounding where the contract grants one.
	Late map[string]time.Time
	// Slack is the level's tolerance on top of Late.
	Slack time.Duration
}

// Moved is the deadline after one request.
type Moved struct {
	// Asked is when the request was sent; Grace is the effective grace in seconds from then on.
	Asked time.Time
	Grace int64
	// At is the deadline, counted from when the request was sent.
	At time.Time
}

// Trace returns the outline of a history. The scenario is the one from the catalogue. The string says, as a judge would, why
// there is no outline; it is empty if there is one.
func Trace(h history.History, s scenario.Scenario) (Outline, string) {
	f, why := read(h, s.At(scenario.Level(h.Level)))
	if why != "" {
		return Outline{}, why
	}
	if len(f.requests) == 0 {
		return Outline{}, "no request for the pod's end"
	}
	o := Outline{Start: f.origin, Late: map[string]time.Time{}, Slack: f.Slack}
	for i, r := range f.requests {
		at, _ := f.deadline(i + 1)
		o.Deadlines = append(o.Deadlines, Moved{Asked: r.sent, Grace: f.grace(i + 1), At: at})
	}
	n := len(f.requests)
	for _, c := range f.containers {
		o.Late[c.Name] = f.late(c, n).Add(-f.Slack)
		if f.grace(n) == 0 { // the contract grants no time for sending the call
			_, o.Late[c.Name] = f.deadline(n)
		}
	}
	return o, ""
}
