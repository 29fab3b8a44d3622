// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"time"
)

// onlyShorterRule judges R2: neither later requests nor a retry after a runtime error move the deadline later. Every container
// is dead by the deadline of the first request, unless the runtime refused to kill it, and no stop call grants a live container
// more time than an earlier call of the same kubelet.
func onlyShorterRule(f *facts) Finding {
	refused := f.refused()
	if len(f.requests) < 2 && !refused {
		return invalid("there was no second request and no refused stop call that could have moved the deadline")
	}
	applies := refused
	for _, c := range f.containers {
		applies = applies || len(f.requests) > 1 && c.alive(f.requests[1].sent)
		for i, s := range c.stops {
			if !c.alive(s.at) || s.timeout <= int64(f.Window.Seconds()) {
				continue
			}
			for _, before := range c.stops[:i] {
				if f.restarted(before.at, s.at) {
					continue
				}
				if by := s.target().Sub(before.target()); by > f.Rounding+f.Slack {
					return broken(s.at, "at %s container %s was given until %s, though it had only until %s",
						f.when(s.at), c.Name, f.when(s.target()), f.when(before.target()))
				}
			}
		}
		if refused {
			continue // the runtime decides when the container dies
		}
		if found := f.deadBy(c, f.late(c, 1)); found.Outcome != "" {
			return found
		}
	}
	if !applies {
		return invalid("every container had ended before the second request")
	}
	return held("no stop call and no kill lies past the first deadline")
}

// refused reports whether the runtime refused a stop call of a live container.
func (f *facts) refused() bool {
	for _, c := range f.containers {
		for _, s := range c.stops {
			if s.refused() && c.aliveAtReturn(s) {
				return true
			}
		}
	}
	return false
}

// restarted reports whether the kubelet was restarted between from and to.
func (f *facts) restarted(from, to time.Time) bool {
	return slices.ContainsFunc(f.begins, func(b beginning) bool { return b.since.After(from) && !b.since.After(to) })
}
