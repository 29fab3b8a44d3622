// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"time"

	"github.com/kgrace/kgrace/internal/scenario"
)

// hookOnceRule judges R7: a preStop hook starts once, and again only on the retry of a kill that failed at the runtime, if the
// hook itself had failed. A hook that can finish before the deadline finishes; any other runs until the deadline. If the grace
// was shortened while the hook ran, it is cancelled at the deadline; otherwise its container is asked to stop while the hook
// still runs, as on stock, and the hook ends with its container. A cancellation shows as the return of the exec call, as the
// server seeing its client disconnect, or, for a sleep, as the stop call of the container.
func hookOnceRule(f *facts) Finding {
	applied := 0
	for _, c := range f.containers {
		if c.Hook == nil {
			continue
		}
		applied++
		if found := f.hook(c); found.Outcome != scenario.Held {
			return found
		}
	}
	if applied == 0 {
		return invalid("no container has a hook")
	}
	return held("the hook ran once, until its end or the deadline")
}

func (f *facts) hook(c *container) Finding {
	starts := c.starts()
	if found := f.repeated(c, starts); found.Outcome != "" {
		return found
	}
	began := f.beginning(len(f.requests)).hi
	if len(starts) > 0 {
		began = starts[len(starts)-1]
	}
	earliest, latest := f.deadline(len(f.requests))
	first, asked := c.stopped(c.called(began))
	switch {
	case len(starts) == 0 && c.Hook.Kind != scenario.HookSleep && (f.grace(len(f.requests)) == 0 || len(c.stops) == 0):
		return invalid("container %s: the hook never started", c.Name)
	case len(starts) == 0 && c.Hook.Kind != scenario.HookSleep:
		return broken(c.stops[0].at, "container %s was asked to stop at %s, and its hook never started", c.Name, f.when(c.stops[0].at))
	case c.endedIn(began):
		return held("the container ended in its hook")
	case !asked:
		return broken(f.finished, "container %s was never asked to stop after its hook", c.Name)
	case c.hookFailed(len(starts) - 1):
		return f.failedHook(c, first)
	}
	if ends := began.Add(c.Hook.Takes); c.Hook.Takes > 0 && (ends.Before(earliest.Add(-f.Slack)) || ends.Before(earliest) && f.endedItself(c, ends)) {
		return f.ranOut(c, ends, first)
	}
	if lo := f.beginning(len(f.requests)).lo.Add(c.Hook.Takes); c.Hook.Kind == scenario.HookSleep && c.Hook.Takes > 0 &&
		first.at.Before(earliest) && !first.at.Before(lo.Add(-f.Grain)) {
		return held("the sleep ended by itself")
	}
	over := f.over(c, first)
	due := latest.Add(f.Returns + f.Acts + f.Slack)
	cut := due
	if !f.shortenedSince(began) {
		if c.exit == nil {
			return invalid("container %s never ended", c.Name)
		}
		cut = later(cut, c.exit.at.Add(f.Returns+f.Slack))
		if c.Hook.Kind == scenario.HookHTTP && over.IsZero() {
			over = c.exit.at // the container is the server, so the request ends with it
		}
	}
	switch {
	case over.IsZero():
		return broken(f.finished, "container %s: the hook was never cut; the deadline was %s", c.Name, f.when(latest))
	case over.Before(earliest.Add(-f.Grain)):
		return broken(over, "container %s: the hook was over at %s, before the deadline at %s",
			c.Name, f.when(over), f.when(earliest))
	case over.After(cut):
		return broken(over, "container %s: the hook went on until %s, allowed until %s", c.Name, f.when(over), f.when(cut))
	case first.at.Before(earliest.Add(-f.Grain)):
		return broken(first.at, "container %s was asked to stop at %s beside its hook, which had until %s",
			c.Name, f.when(first.at), f.when(earliest))
	case first.at.After(due):
		return broken(first.at, "container %s was asked to stop only at %s, its hook had until %s",
			c.Name, f.when(first.at), f.when(due))
	}
	return held("the hook ran until the deadline")
}

// shortenedSince reports whether the grace was shortened after a hook began, that is, while an attempt waited for it.
func (f *facts) shortenedSince(began time.Time) bool {
	for _, n := range f.shortenings() {
		if f.requests[n-1].sent.After(began) {
			return true
		}
	}
	return false
}

// called returns when the kubelet called the hook that began at the given time. On a slow machine the hook reports its start later,
// perhaps after its container was asked to stop.
func (c *container) called(began time.Time) time.Time {
	if n := len(c.execs); c.Hook.Kind == scenario.HookExec && n > 0 && c.execs[n-1].at.Before(began) {
		return c.execs[n-1].at
	}
	return began
}

// endedItself reports whether a hook that was due to end shortly before the deadline, where it may also have been cut, reported that
// it ended by itself, and when it was due.
func (f *facts) endedItself(c *container, due time.Time) bool {
	n := len(c.hookEnds)
	return c.Hook.Kind == scenario.HookExec && n > 0 && !c.hookEnds[n-1].Before(due.Add(-f.Grain))
}

// ranOut judges a hook that had time to finish by itself at about ends.
func (f *facts) ranOut(c *container, ends time.Time, first call) Finding {
	if c.Hook.Kind == scenario.HookExec && len(c.hookEnds) == 0 {
		return broken(first.at, "container %s: the hook, due to end at %s, never reported its end", c.Name, f.when(ends))
	}
	over := ends
	if n := len(c.hookEnds); n > 0 {
		over = c.hookEnds[n-1]
	} else if c.Hook.Kind == scenario.HookSleep { // it began at a time that nothing records
		over = f.beginning(len(f.requests)).lo.Add(c.Hook.Takes)
	}
	if first.at.Before(over.Add(-f.Grain)) {
		return broken(first.at, "container %s was asked to stop at %s, before its hook ended at %s",
			c.Name, f.when(first.at), f.when(over))
	}
	return held("the hook ended by itself")
}

// repeated returns a finding if a hook started again although it must not. It may start again after a restart of the kubelet,
// and on the retry of a kill that failed at the runtime if the hook had failed.
func (f *facts) repeated(c *container, starts []time.Time) Finding {
	for i := 1; i < len(starts); i++ {
		before := starts[i-1]
		if f.restarted(before, starts[i]) || c.hookFailed(i-1) && f.killFailed(before, starts[i]) {
			continue
		}
		return broken(starts[i], "container %s: the hook started %d times, once more at %s", c.Name, len(starts), f.when(starts[i]))
	}
	if len(c.hookEnds) > max(len(starts), 1) {
		return broken(c.hookEnds[1], "container %s: the hook ended %d times", c.Name, len(c.hookEnds))
	}
	return Finding{}
}

// hookFailed reports whether the given run (from 0) of an exec hook failed by itself: it was not cancelled, and it did not end
// with its container.
func (c *container) hookFailed(run int) bool {
	if c.Hook.Kind != scenario.HookExec || run < 0 || run >= len(c.execs) {
		return false
	}
	one := c.execs[run]
	failed := one.refused() || one.code != 0 && one.code != sigkilled
	return failed && !one.back.IsZero() && c.aliveAtReturn(one)
}

// killFailed reports whether, between from and to, the runtime answered a call that ends the pod with an error of its own.
func (f *facts) killFailed(from, to time.Time) bool {
	failed := func(s call) bool { return s.refused() && !s.back.Before(from) && !s.back.After(to) }
	for _, c := range f.containers {
		if slices.ContainsFunc(c.stops, failed) {
			return true
		}
	}
	return slices.ContainsFunc(f.sandboxStops, failed)
}

// endedIn reports whether the main process exited by itself after its hook began and before it was asked to stop.
func (c *container) endedIn(began time.Time) bool {
	if c.exit == nil || c.exit.killed() || c.exit.at.Before(began) {
		return false
	}
	first, asked := c.stopped(began)
	return !asked || !c.aliveAtCall(first)
}

// failedHook judges a hook whose last run failed: its container is then asked to stop, or at the deadline if that is earlier,
// and a retry runs the hook again.
func (f *facts) failedHook(c *container, first call) Finding {
	earliest, latest := f.deadline(len(f.requests))
	run := c.execs[len(c.execs)-1]
	if first.at.Before(run.back.Add(-f.Grain)) && first.at.Before(earliest.Add(-f.Grain)) {
		return broken(first.at, "container %s was asked to stop at %s, before its hook failed at %s", c.Name, f.when(first.at), f.when(run.back))
	}
	for _, s := range c.stops {
		late := !s.at.Before(latest.Add(-f.Grain)) // no time left for a hook
		if c.aliveAtCall(s) && s.at.After(first.at) && !late && f.killFailed(run.at, s.at) && f.grace(len(f.requests)) > 0 {
			return broken(s.at, "container %s was asked to stop again at %s by a retry that did not run the hook again after it had failed",
				c.Name, f.when(s.at))
		}
	}
	return held("the hook failed, and no retry skipped it")
}

// starts returns all recorded starts of the hook, from the container or the runtime, whichever recorded more. A sleep leaves no
// record.
func (c *container) starts() []time.Time {
	switch c.Hook.Kind {
	case scenario.HookHTTP:
		return c.httpStarts
	case scenario.HookExec:
		if execs := startsOf(c.execs); len(execs) > len(c.hookStarts) {
			return execs
		}
		return c.hookStarts
	default:
		return nil
	}
}

// over returns when the hook was observed to be over; zero if it never was.
func (f *facts) over(c *container, first call) time.Time {
	switch c.Hook.Kind {
	case scenario.HookHTTP:
		if len(c.httpGone) > 0 {
			return c.httpGone[0]
		}
		return time.Time{}
	case scenario.HookExec:
		if n := len(c.execs); n > 0 {
			return c.execs[n-1].back
		}
		return time.Time{}
	default:
		return first.at
	}
}

func startsOf(calls []call) []time.Time {
	var all []time.Time
	for _, one := range calls {
		all = append(all, one.at)
	}
	return all
}
