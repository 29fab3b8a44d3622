// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"time"
)

// runtimeCallsRule judges R9: no stop call is cancelled while its container is alive, and the sandbox is not stopped before
// every container of the pod is down. The exception is a failed stop: after it the sandbox may be stopped once the deadline
// and, unless the grace is 0, the stop window are over.
func runtimeCallsRule(f *facts) Finding {
	calls, sandboxed := 0, false
	for _, c := range f.containers {
		for _, s := range c.stops {
			calls++
			if s.canceled() && c.aliveAtReturn(s) {
				return broken(s.back, "the stop call of %s (timeout %d) for container %s was cancelled at %s while the container lived",
					f.when(s.at), s.timeout, c.Name, f.when(s.back))
			}
		}
		for _, s := range f.sandboxStops {
			if !c.aliveAtCall(s) {
				continue
			}
			from := f.sandboxFrom(s.at)
			switch {
			case !f.stopFailed(s.at):
				return broken(s.at, "StopPodSandbox was called at %s while container %s lived, and no stop had failed", f.when(s.at), c.Name)
			case s.at.Before(from.Add(-f.Grain)):
				return broken(s.at, "StopPodSandbox was called at %s while container %s lived, though its stop could be retried until %s",
					f.when(s.at), c.Name, f.when(from))
			}
			sandboxed = true
		}
		if c.exit == nil {
			return invalid("the observation ended with container %s alive", c.Name)
		}
	}
	switch {
	case calls == 0:
		return invalid("no stop call was recorded")
	case len(f.sandboxStops) == 0:
		return invalid("the sandbox was not stopped before the observation ended")
	case sandboxed:
		return held("%d stop calls, none cancelled under a live container; the sandbox stopped after they had failed and the time was over", calls)
	}
	return held("%d stop calls, none cancelled under a live container; the sandbox stopped last", calls)
}

// stopFailed reports whether, by the given time, the runtime had answered a stop call of the pod with an error of its own.
func (f *facts) stopFailed(by time.Time) bool {
	return slices.ContainsFunc(f.containers, func(c *container) bool {
		return slices.ContainsFunc(c.stops, func(s call) bool { return s.refused() && !s.back.After(by) })
	})
}

// sandboxFrom returns when the sandbox may be stopped after a failed stop, given the requests sent by at.
func (f *facts) sandboxFrom(at time.Time) time.Time {
	n := f.sentBy(at)
	if n == 0 {
		return at
	}
	earliest, _ := f.deadline(n)
	if f.grace(n) == 0 {
		return earliest
	}
	return earliest.Add(f.Window)
}
