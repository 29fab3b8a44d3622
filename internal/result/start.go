// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Start returns the time of the first request, or of whatever else began the scenario if no judge can read the history.
func Start(h history.History, s scenario.Scenario) time.Time {
	if o, _ := judge.Trace(h, s); !o.Start.IsZero() {
		return o.Start
	}
	events := h.ByTime()
	var armed time.Time
	for _, e := range events {
		switch e.Kind {
		case history.APIDelete, history.Step, history.Manifest, history.KubeletKill:
			return e.At
		case history.Armed:
			armed = e.At
		}
	}
	if armed.IsZero() && len(events) > 0 {
		return events[0].At
	}
	return armed
}
