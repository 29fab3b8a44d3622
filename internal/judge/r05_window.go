// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"time"
)

// windowRule judges R5: with a grace above 0, a container whose hook or turn used up its time before its first stop call still
// gets 2 s from that call; no container is killed before the deadline, and none lives past deadline + 2 s. A container that had
// already been asked gets no second window: only the remaining time, rounded up, and 0 after the deadline.
func windowRule(f *facts) Finding {
	n := len(f.requests)
	if f.grace(n) == 0 {
		return invalid("grace 0 leaves no window")
	}
	earliest, latest := f.deadline(n)
	var last time.Time
	for _, c := range f.containers {
		if found := f.deadBy(c, latest.Add(f.window(c, n)+f.Slack)); found.Outcome != "" {
			return found
		}
		last = later(last, c.exit.at)
		if found := f.secondWindow(c); found.Outcome != "" {
			return found
		}
		if !c.exit.killed() {
			continue
		}
		if c.exit.at.Before(earliest.Add(-f.Grain)) {
			return broken(c.exit.at, "container %s was killed at %s, before the deadline at %s",
				c.Name, f.when(c.exit.at), f.when(earliest))
		}
		if len(c.stops) == 0 {
			return invalid("no stop call of container %s was recorded", c.Name)
		}
		s := c.stops[0]
		due, _ := f.deadline(max(f.sentBy(s.at), 1)) // a later request grants no window
		usedUp := c.waits() && due.Sub(s.at) < f.Window && !f.shortened(s.at, c.exit.at)
		if got := c.exit.at.Sub(s.at); usedUp && got < f.Window-f.Grain {
			return broken(c.exit.at, "container %s was killed %.2f s after its stop call at %s; it was due %v",
				c.Name, got.Seconds(), f.when(s.at), f.Window)
		}
	}
	return held("dead at %s, deadline %s", f.when(last), f.when(earliest))
}

// shortened reports whether a request moved the deadline between two points in time.
func (f *facts) shortened(from, to time.Time) bool {
	return slices.ContainsFunc(f.shortenings(), func(n int) bool {
		sent := f.requests[n-1].sent
		return !sent.Before(from) && !sent.After(to)
	})
}

// secondWindow returns a finding if a container that had been asked to stop was given more time than a shortening left.
func (f *facts) secondWindow(c *container) Finding {
	for _, n := range f.shortenings() {
		r := f.requests[n-1]
		if !c.alive(r.sent) || !c.asked(r.sent) {
			continue
		}
		if s, ok := f.answer(c, n, f.acts(n).Add(f.Acts+f.Slack)); ok && c.aliveAtCall(s) && f.tooLong(c, s, n) {
			_, latest := f.deadline(n)
			return broken(s.at, "at %s container %s, which had been asked to stop before, was given %d s; the deadline was %s",
				f.when(s.at), c.Name, s.timeout, f.when(latest))
		}
	}
	return Finding{}
}
