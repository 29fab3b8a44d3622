// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// beginning is the start of the pod's first terminating sync in one run of the kubelet.
type beginning struct {
	// since is when this run of the kubelet started; zero for the first run.
	since time.Time
	// The sync started between lo and hi. At the sim level both are the recorded start. Elsewhere the lower bound is the
	// request or the end of the last SyncPod work, and the upper bound is the first action of a terminating sync or the longest
	// time that the worker may wait for a newer pod status.
	lo, hi time.Time
	// seenLo and seenHi bound the moment at which this kubelet first saw the pod's deletionTimestamp; zero if it never did.
	seenLo, seenHi time.Time
	// missed reports that the sim level recorded no start: the pod's SyncPod never returned.
	missed bool
}

// beginnings returns the beginning in each run of the kubelet. It needs at least one request.
func (f *facts) beginnings() []beginning {
	if len(f.requests) == 0 {
		return nil
	}
	starts := []time.Time{{}}
	for _, step := range f.steps {
		if step.Reason == (scenario.KillKubelet{}).String() {
			starts = append(starts, step.At)
		}
	}
	var all []beginning
	for i, since := range starts {
		until := f.finished
		if i+1 < len(starts) {
			until = starts[i+1]
		}
		all = append(all, f.beginningIn(since, until))
	}
	return all
}

// beginningIn returns the beginning in the run of the kubelet between since and until.
func (f *facts) beginningIn(since, until time.Time) beginning {
	first := f.requests[0]
	b := beginning{since: since, lo: later(first.sent, since), hi: later(first.told, since)}
	for _, r := range f.requests {
		switch {
		case !r.api || r.sent.After(until) || !b.seenLo.IsZero():
		case r.sent.Before(since):
			b.seenLo = since
		default:
			b.seenLo, b.seenHi = r.sent, r.told
		}
	}
	began := slices.IndexFunc(f.began, func(at time.Time) bool { return !at.Before(b.lo) && !at.After(until) })
	switch {
	case began >= 0:
		b.lo, b.hi = f.began[began], f.began[began]
	case f.sim:
		b.missed = true
	default:
		b.lo, b.hi = f.bound(b.lo, later(b.hi, f.served(since)), until)
	}
	if b.seenLo.Equal(since) && b.seenHi.IsZero() {
		b.seenHi = b.hi
	}
	return b
}

// served returns when the kubelet that was started after since was up; zero for the first run.
func (f *facts) served(since time.Time) time.Time {
	for _, step := range f.steps {
		if !since.IsZero() && step.Reason == (scenario.StartKubelet{}).String() && step.At.After(since) {
			return step.At
		}
	}
	return time.Time{}
}

// bound returns the bounds of a beginning that was not recorded. The pod's end was requested at lo, and the kubelet learned of
// it no later than told.
func (f *facts) bound(lo, told, until time.Time) (time.Time, time.Time) {
	hi := f.firstAct(lo, until)
	if hi.IsZero() {
		hi = told
	}
	for _, at := range f.synced {
		if at.After(lo) && !at.After(hi) {
			lo = at
		}
	}
	if by := later(lo, told).Add(f.Newer); by.Before(hi) {
		hi = by
	}
	return lo, hi
}

// firstAct returns the time of the first action between from and until that only a terminating sync takes; zero if there is
// none.
func (f *facts) firstAct(from, until time.Time) time.Time {
	var first time.Time
	see := func(all ...time.Time) {
		for _, at := range all {
			if !at.Before(from) && !at.After(until) && (first.IsZero() || at.Before(first)) {
				first = at
			}
		}
	}
	see(startsOf(f.sandboxStops)...)
	for _, e := range f.kubelet {
		if e.Reason == "Killing" {
			see(e.At)
		}
	}
	for _, c := range f.containers {
		see(startsOf(c.stops)...)
		see(c.terms...)
		if c.Hook != nil {
			see(slices.Concat(startsOf(c.execs), c.hookStarts, c.httpStarts)...)
		}
	}
	return first
}

// syncs reports whether the return of a runtime call marks the end of work that only SyncPod does.
func syncs(e history.Event) bool {
	switch e.Call {
	case "PullImage", "CreateContainer", "StartContainer":
		return true
	}
	return postStart(e)
}

// probe reports whether a call runs a probe; it checks the command line.
func probe(e history.Event) bool {
	return strings.HasPrefix(e.Call, "Exec") && strings.Contains(e.Message, "/actor mark ")
}

// postStart reports whether a call runs a postStart hook; it checks the command line.
func postStart(e history.Event) bool {
	return strings.HasPrefix(e.Call, "Exec") && strings.Contains(e.Message, scenario.PostStartWord)
}
