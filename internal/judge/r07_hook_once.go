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

	"github.com/kgrace/kgrace/internal/scenario"
)

// hookOnceRule judges R7: a preStop hook starts at most once; one that would end before the deadline does end, and one
// that would not runs until the deadline. It is cut then if the grace was shortened while it ran; if not, its container is
// asked to stop beside it, as ever, and it ends with its container. A cut shows as the return of its exec call, as the
// server seeing its client go, or, for a sleep, as the container being asked to stop.
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
	return held("the hook ran once, and until its end or the deadline")
}

func (f *facts) hook(c *container) Finding {
	starts := c.starts()
	switch {
	case len(starts) > 1:
		return broken(starts[1], "container %s: the hook started %d times, the second time at %s",
			c.Name, len(starts), f.when(starts[1]))
	case len(c.hookEnds) > 1:
		return broken(c.hookEnds[1], "container %s: the hook ended %d times", c.Name, len(c.hookEnds))
	case len(starts) == 0 && c.Hook.Kind != scenario.HookSleep:
		return invalid("container %s: the hook never started", c.Name)
	}
	began := f.requests[0].told
	if len(starts) > 0 {
		began = starts[0]
	}
	earliest, latest := f.deadline(len(f.requests))
	first, asked := c.stopped(f.requests[0].sent)
	if !asked {
		return broken(f.finished, "container %s was never asked to stop after its hook", c.Name)
	}
	if ends := began.Add(c.Hook.Takes); c.Hook.Takes > 0 && ends.Before(earliest.Add(-f.Slack)) {
		return f.ranOut(c, ends, first)
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
			over = c.exit.at // the container is the server: the request ends with it
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

// shortenedSince says that the grace was shortened after a hook began: by then an attempt was waiting for it.
func (f *facts) shortenedSince(began time.Time) bool {
	for _, n := range f.shortenings() {
		if f.requests[n-1].sent.After(began) {
			return true
		}
	}
	return false
}

// ranOut judges a hook that had the time to end by itself at about ends.
func (f *facts) ranOut(c *container, ends time.Time, first call) Finding {
	if c.Hook.Kind == scenario.HookExec && len(c.hookEnds) == 0 {
		return broken(first.at, "container %s: the hook, due to end at %s, never reported its end", c.Name, f.when(ends))
	}
	over := ends
	if len(c.hookEnds) > 0 {
		over = c.hookEnds[0]
	}
	if first.at.Before(over.Add(-f.Grain)) {
		return broken(first.at, "container %s was asked to stop at %s, before its hook ended at %s",
			c.Name, f.when(first.at), f.when(over))
	}
	return held("the hook ended by itself")
}

// starts returns every start of the hook that left a trace; the larger of what the container and the runtime saw. A
// sleep leaves none.
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

// over returns when the hook was seen to be over; zero if it never was.
func (f *facts) over(c *container, first call) time.Time {
	switch c.Hook.Kind {
	case scenario.HookHTTP:
		if len(c.httpGone) > 0 {
			return c.httpGone[0]
		}
		return time.Time{}
	case scenario.HookExec:
		if len(c.execs) > 0 {
			return c.execs[0].back
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
