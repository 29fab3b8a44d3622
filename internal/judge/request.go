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
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// request is something that asks for the pod's end: a delete that the API server accepted, the manifest of a static pod
// taken away or replaced, an eviction.
type request struct {
	// sent is when the harness sent it: the worker was told no earlier. told is when a watch showed it (the answer, if
	// the request changed nothing): the worker was told no later, but for the level's slack.
	sent, told time.Time
	// grace is what was asked for, in seconds; a negative one counts as the 1 that the API server makes of it.
	grace int64
	// negative says that a negative one was asked for.
	negative bool
}

// requests returns what asked for the pod's end, in its order. A pod of the API is ended by deletes, a static one by its
// manifest alone: who deletes the mirror pod asks for nothing. Pods of a burst have no requests here; rules that speak of
// them look at the events.
func requests(events []history.Event, s scenario.Scenario) []request {
	var all []request
	if s.Bursts() {
		return nil
	}
	for i, e := range events {
		switch e.Kind {
		case history.APIDelete:
			if r, ok := deleted(events, i, s.Pod.Grace); ok && !s.Pod.Static {
				all = append(all, r)
			}
		case history.Manifest:
			if e.Reason != "ADDED" {
				all = append(all, request{sent: e.At, told: e.At, grace: s.Pod.Grace})
			}
		case history.KubeletKill:
			r := request{sent: e.At, told: e.At, grace: s.Pod.Grace}
			if e.Grace != nil {
				r.grace = *e.Grace
			}
			all = append(all, r)
		}
	}
	return all
}

// deleted returns the request of the delete at events[i]; false if it was not accepted.
func deleted(events []history.Event, i int, spec int64) (request, bool) {
	e := events[i]
	answer, ok := answered(events[i+1:])
	if !ok || answer.Error != "" {
		return request{}, false
	}
	r := request{sent: e.At, told: answer.At, grace: spec}
	if e.Grace != nil {
		r.grace = *e.Grace
	}
	if r.grace < 0 {
		r.grace, r.negative = 1, true
	}
	if seen, ok := shown(events, i, r.grace); ok {
		r.told = seen
	}
	return r, true
}

// answered returns the answer to the delete that stands before events; the harness sends one at a time.
func answered(events []history.Event) (history.Event, bool) {
	for _, e := range events {
		switch e.Kind {
		case history.APIDeleted:
			return e, true
		case history.APIDelete:
			return history.Event{}, false
		}
	}
	return history.Event{}, false
}

// shown returns when a watch showed what the delete at events[i] changed: the first event of the pod after it, and
// before the next delete, with another deletionGracePeriodSeconds than the pod had, or its removal. A delete that asks
// for no less than the pod had changes nothing.
func shown(events []history.Event, i int, asked int64) (time.Time, bool) {
	had := int64(-1)
	for _, e := range events[:i] {
		if e.Kind == history.APIPod && e.Grace != nil {
			had = *e.Grace
		}
	}
	if had >= 0 && asked >= had {
		return time.Time{}, false
	}
	for _, e := range events[i+1:] {
		switch {
		case e.Kind == history.APIDelete:
			return time.Time{}, false
		case e.Kind == history.APIPod && (e.Reason == "DELETED" || e.Grace != nil && *e.Grace != had):
			return e.At, true
		}
	}
	return time.Time{}, false
}

// deadline returns the earliest and the latest moment that can be the pod's deadline after the first n requests: start
// plus the smallest grace asked for, where a moment that had passed when it was asked for counts as now.
func (f *facts) deadline(n int) (earliest, latest time.Time) {
	for i, r := range f.requests[:n] {
		lo := later(f.requests[0].sent.Add(seconds(r.grace)), r.sent)
		hi := later(f.requests[0].told.Add(seconds(r.grace)), r.told)
		if i == 0 || lo.Before(earliest) {
			earliest = lo
		}
		if i == 0 || hi.Before(latest) {
			latest = hi
		}
	}
	return earliest, latest
}

// grace returns the effective grace after the first n requests, in seconds: the smallest.
func (f *facts) grace(n int) int64 {
	least := f.requests[0].grace
	for _, r := range f.requests[:n] {
		least = min(least, r.grace)
	}
	return least
}

// shortenings returns the numbers (from 1) of the requests that shortened the grace of a pod already terminating.
func (f *facts) shortenings() []int {
	var all []int
	for n := 2; n <= len(f.requests); n++ {
		if f.grace(n) < f.grace(n-1) {
			all = append(all, n)
		}
	}
	return all
}

// late returns the last moment at which a container may be killed after the first n requests. On top of the deadline
// stand, for a grace above 0, the stop window where waiting or a late request used the time up (R5), or else the
// rounding of a shortened timeout (R3); then the level's slack.
func (f *facts) late(c *container, n int) time.Time {
	_, latest := f.deadline(n)
	var extra time.Duration
	if f.grace(n) > 0 {
		shortened := f.shortenings()
		last := f.requests[0].told
		for _, s := range shortened {
			if s <= n {
				last, extra = f.requests[s-1].told, f.Rounding
			}
		}
		if c.waits() || latest.Sub(last) < f.Window {
			extra = f.Window
		}
	}
	return latest.Add(extra + f.Slack)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
