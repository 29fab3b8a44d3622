// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"time"
)

// late returns the latest time at which a container may be killed after the first n requests. For a grace above 0 it adds to
// the deadline either the window of a container that had not been asked to stop yet (R5), or the rounding of the remaining time
// of one that had been (R3); then it adds the level's slack.
func (f *facts) late(c *container, n int) time.Time {
	_, latest := f.deadline(n)
	last := 0
	for _, s := range f.shortenings() {
		if s <= n {
			last = s
		}
	}
	switch {
	case f.grace(n) == 0:
		return latest.Add(f.Acts + f.Slack)
	case last > 0 && c.asked(f.requests[last-1].sent):
		told := f.acts(last)
		by := told.Add(f.Acts).Add(seconds(left(latest, told)))
		if rounded := latest.Add(f.Rounding); left(latest, told) > 0 && rounded.Before(by) {
			by = rounded
		}
		return by.Add(f.Slack)
	case last > 0, c.waits(), latest.Sub(f.beginning(n).hi) < f.Window:
		return latest.Add(f.window(c, n) + f.Slack)
	case slices.ContainsFunc(c.stops, call.refused): // a retry's timeout is rounded up
		return latest.Add(f.Rounding + f.Slack)
	}
	return latest.Add(f.Slack)
}

// window returns how long after the deadline the stop window of a container may end. A sidecar with a hook, in a pod that
// nobody hurried, behaves as on stock, which counts the hook's time in whole seconds, rounded down.
func (f *facts) window(c *container, n int) time.Duration {
	hurried := slices.ContainsFunc(f.shortenings(), func(s int) bool { return s <= n })
	if c.sidecar && c.Hook != nil && !hurried {
		return f.Window + f.Rounding
	}
	return f.Window
}

// left returns the time from at to the deadline in whole seconds, rounded up; 0 if the deadline has passed.
func left(deadline, at time.Time) int64 {
	d := max(deadline.Sub(at), 0)
	whole := int64(d / time.Second)
	if d%time.Second > 0 {
		whole++
	}
	return whole
}

// asked reports whether the container was asked to stop before the given time by a call that the runtime did not refuse.
func (c *container) asked(before time.Time) bool {
	return slices.ContainsFunc(c.stops, func(s call) bool { return s.at.Before(before) && !s.refused() })
}

// deadBy returns a finding if the container was still up at the given time, or if the observation ended before it.
func (f *facts) deadBy(c *container, by time.Time) Finding {
	switch {
	case c.exit != nil && !c.exit.at.After(by):
		return Finding{}
	case c.exit != nil:
		if late, ok := f.carriedOutLate(c, by); ok {
			f.excuse(late)
			return Finding{}
		}
		return broken(c.exit.at, "container %s lived until %s, allowed until %s", c.Name, f.when(c.exit.at), f.when(by))
	case f.finished.After(by):
		return broken(f.finished, "container %s was still alive at %s, allowed until %s",
			c.Name, f.when(f.finished), f.when(by))
	default:
		return invalid("the observation ended at %s with container %s alive, before the bound at %s",
			f.when(f.finished), c.Name, f.when(by))
	}
}
