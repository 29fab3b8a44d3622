// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Figures are durations for a report. They do not affect a verdict.
type Figures struct {
	// Dead is the time from the first request to the end of the last container; nil if a container outlived the observation.
	Dead *float64 `json:"deadSeconds"`
	// Forced is the time from a force delete of a terminating pod to the end of the last container.
	Forced *float64 `json:"forcedSeconds,omitempty"`
	// RuntimeLate is the longest delay, in seconds, with which the runtime killed a container; ControlLate is the longest delay
	// of a control.
	RuntimeLate float64 `json:"runtimeLatestSeconds,omitempty"`
	ControlLate float64 `json:"controlLatestSeconds,omitempty"`
}

// Measure returns the figures of a history; all are empty if the scenario did not run.
func Measure(h history.History, s scenario.Scenario) Figures {
	f, why := read(h, s.At(scenario.Level(h.Level)))
	if why != "" || len(f.requests) == 0 || len(f.containers) == 0 {
		return Figures{}
	}
	var figures Figures
	for _, e := range f.events {
		if e.Kind == history.ControlLate {
			figures.ControlLate = max(figures.ControlLate, e.Late)
		}
	}
	var last time.Time
	for _, c := range f.containers {
		if c.exit == nil {
			return figures
		}
		if due, ok := f.asked(c); ok && c.exit.killed() {
			figures.RuntimeLate = max(figures.RuntimeLate, c.exit.at.Sub(due).Seconds())
		}
		last = later(last, c.exit.at)
	}
	since := func(at time.Time) *float64 {
		s := last.Sub(at).Seconds()
		return &s
	}
	figures.Dead = since(f.origin)
	for i, r := range f.requests {
		if i > 0 && r.grace == 0 && last.After(r.sent) {
			figures.Forced = since(r.sent)
			break
		}
	}
	return figures
}
