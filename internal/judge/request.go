// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// request is anything that asks for the pod's end: a delete that the API server accepted, the removal or replacement of a
// static pod's manifest, an eviction.
type request struct {
	// sent is when the harness sent the request: the worker was told no earlier. told is when a watch showed it, or the
	// response time if the request changed nothing: the worker was told no later, apart from the level's slack.
	sent, told time.Time
	// order is the index of its event in the history.
	order int
	// grace is the requested grace in seconds; a negative one counts as 1, as the API server stores it.
	grace int64
	// negative reports that the requested grace was negative.
	negative bool
	// api reports that the request is a delete. override reports that it is the kubelet's own decision, where zero is no force.
	api, override bool
}

// requests returns the requests for the pod's end, in order. Deletes end a pod of the API; only its manifest ends a static one,
// so that deleting the mirror pod is no request. Pods of a burst have no requests here; rules about them use the events.
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
				all = append(all, request{sent: e.At, told: e.At, order: i, grace: s.Pod.Grace})
			}
		case history.KubeletKill:
			r := request{sent: e.At, told: e.At, order: i, grace: s.Pod.Grace, override: true}
			if e.Grace != nil {
				r.grace = *e.Grace
			}
			r.grace = max(r.grace, 1)
			all = append(all, r)
		}
	}
	return all
}

// deleted returns the request of the delete at events[i]; false if the API server did not accept it.
func deleted(events []history.Event, i int, spec int64) (request, bool) {
	e := events[i]
	answer, ok := answered(events[i+1:])
	if !ok || answer.Error != "" {
		return request{}, false
	}
	r := request{sent: e.At, told: answer.At, order: i, grace: spec, api: true}
	if e.Grace != nil {
		r.grace = *e.Grace
	}
	if r.grace < 0 {
		r.grace, r.negative = 1, true
	}
	if seen, ok := shown(events, i, r.grace); ok {
		r.told = seen.At
		// The API server counts from a deletionTimestamp in whole seconds. If first delete + grace has passed for it, it stores a
		// grace of 1 from now, and that is what the kubelet is asked for.
		if seen.Grace != nil && *seen.Grace > 0 {
			r.grace = min(r.grace, *seen.Grace)
		}
	}
	return r, true
}

// needless counts the deletes that the API server refused because the pod had left it. They do not count as missing requests.
func needless(events []history.Event) int {
	n, left := 0, false
	for _, e := range events {
		switch {
		case e.Kind == history.APIPod:
			left = e.Reason == "DELETED"
		case e.Kind == history.APIDeleted && left && strings.Contains(e.Error, "not found"):
			n++
		}
	}
	return n
}

// answered returns the response to the delete just before events; the harness sends one at a time.
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

// shown returns the watch event that showed the change by the delete at events[i]: the first event of the pod after it, and before the
// next delete, with a new deletionGracePeriodSeconds, or the pod's removal. A longer period is that of an earlier delete, shown late.
// A delete with no smaller grace than the pod already has changes nothing.
func shown(events []history.Event, i int, asked int64) (history.Event, bool) {
	had := int64(-1)
	for _, e := range events[:i] {
		if e.Kind == history.APIPod && e.Grace != nil {
			had = *e.Grace
		}
	}
	if had >= 0 && asked >= had {
		return history.Event{}, false
	}
	for _, e := range events[i+1:] {
		switch {
		case e.Kind == history.APIDelete:
			return history.Event{}, false
		case e.Kind == history.APIPod && (e.Reason == "DELETED" || e.Grace != nil && *e.Grace != had && *e.Grace <= asked):
			return e, true
		}
	}
	return history.Event{}, false
}
