// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"time"
)

// promptRule judges R8: after each shortening, the stop call that had to wait for the old sync to return is sent in time,
// whatever that sync was waiting for. The old sync has Returns to return, and the new one Acts to send the call (R3). If the
// history records each terminating sync, the next one starts within Returns.
func promptRule(f *facts) Finding {
	applied := 0
	for _, n := range f.shortenings() {
		if found, applies := f.returned(n); applies {
			applied++
			if found.Outcome != "" {
				return found
			}
		}
		for _, c := range f.containers {
			_, found, applies := f.promptly(c, n, f.Returns+f.Acts)
			if !applies {
				continue
			}
			applied++
			if found.Outcome != "" {
				return found
			}
		}
	}
	if applied == 0 {
		return invalid("no request shortened the grace of a container that still ran")
	}
	return held("each wait ended in time")
}

// attempt is the start of a terminating sync; order is the index of its event in the history.
type attempt struct {
	at    time.Time
	order int
}

// follows reports whether the sync started after a request. At the sim level an eviction reaches the worker at once, so both
// may have the same time; then their order in the history decides.
func (a attempt) follows(r request) bool {
	return a.at.After(r.sent) || a.at.Equal(r.sent) && a.order > r.order
}

// returned checks that request n (a shortening) led to a new terminating sync. The last result is false if no sync was running,
// or if the kill may have ended by itself before the next one was due.
func (f *facts) returned(n int) (Finding, bool) {
	r := f.requests[n-1]
	due := f.acts(n).Add(f.Returns + f.Slack)
	since := f.beginning(n).since
	before, after := false, false
	for _, a := range f.attempts {
		if a.follows(r) {
			after = after || !a.at.After(due)
		} else {
			before = before || !a.at.Before(since)
		}
	}
	alive := slices.ContainsFunc(f.containers, func(c *container) bool { return c.alive(due) })
	switch {
	case !before || !alive || f.finished.Before(due):
		return Finding{}, false
	case !after:
		return broken(due, "after the request at %s (grace %d) the terminating sync did not return by %s",
			f.when(r.sent), r.grace, f.when(due)), true
	}
	return Finding{}, true
}
