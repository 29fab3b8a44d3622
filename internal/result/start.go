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
