// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"time"

	"github.com/kgrace/kgrace/internal/history"
)

// keptRule judges R12 as far as a history shows it, which depends on the scenario: separate flows for static pods, image pulls,
// pending pods, evictions, orphans and probes (r12_flows.go, r12_static.go); otherwise the order in which containers are
// stopped and, unless grace 0 removed the pod from the API early, the two phases of a delete.
func keptRule(f *facts) Finding {
	if flow := f.flow(); flow != nil {
		return flow()
	}
	ordered := len(f.scenario.Pod.Sidecars) > 0
	if ordered {
		if found := f.order(); found.Outcome != "" {
			return found
		}
	}
	if f.grace(len(f.requests)) == 0 {
		if !ordered {
			return invalid("the pod has no sidecar and was removed by force: nothing of R12 shows")
		}
		return held("containers were stopped in order")
	}
	return f.twoPhases()
}

// order checks that a sidecar is asked to stop only after all containers before it are down, or at the deadline. Regular
// containers stop first, then the sidecars in reverse start order.
func (f *facts) order() Finding {
	earliest, _ := f.deadline(len(f.requests))
	turn := slices.Clone(f.containers)
	slices.Reverse(turn)
	for i, c := range turn {
		if !c.sidecar {
			continue
		}
		if len(c.stops) == 0 && len(c.terms) == 0 {
			return invalid("sidecar %s was never seen to be stopped", c.Name)
		}
		var first time.Time
		for _, at := range append(startsOf(c.stops), c.terms...) {
			if first.IsZero() || at.Before(first) {
				first = at
			}
		}
		for _, before := range turn[:i] {
			if before.alive(first) && first.Before(earliest.Add(-f.Grain)) {
				return broken(first, "sidecar %s was asked to stop at %s while %s lived, though there was time until %s",
					c.Name, f.when(first), before.Name, f.when(earliest))
			}
		}
	}
	return Finding{}
}

// twoPhases checks that the first delete only marks the pod, and that the pod leaves the API only after its containers are
// gone.
func (f *facts) twoPhases() Finding {
	gone, ok := f.gone()
	if !ok {
		if f.finished.Before(f.requests[0].told.Add(f.scenario.Longest() + f.Slack)) {
			return invalid("the observation ended before the pod could leave the API")
		}
		return broken(f.finished, "the pod never left the API; observed until %s", f.when(f.finished))
	}
	marked := slices.ContainsFunc(f.podEvents, func(e history.Event) bool {
		return e.Reason == "MODIFIED" && e.Deletion != nil && e.At.Before(gone)
	})
	if !marked {
		return broken(gone, "the pod left the API at %s without having been marked first", f.when(gone))
	}
	n := len(f.requests)
	for _, c := range f.containers {
		if c.alive(gone) {
			return broken(gone, "the pod left the API at %s while container %s lived", f.when(gone), c.Name)
		}
		if !c.Stubborn && c.exit.killed() && c.exit.at.Before(f.late(c, n).Add(-f.window(c, n)-f.Slack)) {
			return broken(c.exit.at, "container %s, which ends by itself, was killed at %s", c.Name, f.when(c.exit.at))
		}
	}
	stopped := slices.ContainsFunc(f.sandboxStops, func(s call) bool {
		return !s.back.IsZero() && s.err == "" && !s.back.After(gone)
	})
	if !stopped {
		return broken(gone, "the pod left the API at %s before its sandbox was stopped", f.when(gone))
	}
	return held("marked, stopped, and gone from the API at %s", f.when(gone))
}

// gone returns when the pod left the API.
func (f *facts) gone() (time.Time, bool) {
	for _, e := range f.podEvents {
		if e.Reason == "DELETED" {
			return e.At, true
		}
	}
	return time.Time{}, false
}
