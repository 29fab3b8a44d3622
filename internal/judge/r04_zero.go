// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"

	"github.com/kgrace/kgrace/internal/history"
)

// zeroRule judges R4: after a request with grace 0, every live container is asked at once to stop with timeout 0, whatever it
// was waiting for, and with no other timeout; no preStop hook starts; all containers die at once; and if another pod replaces
// this one, it starts soon, and only after this one is down (successor.go).
func zeroRule(f *facts) Finding {
	n := 0
	for i, r := range f.requests {
		if r.grace == 0 { // an override never has grace 0
			n = i + 1
			break
		}
	}
	if n == 0 {
		return f.notZero()
	}
	r := f.requests[n-1]
	due := f.acts(n).Add(f.Acts + f.Slack)
	// A first request precedes all kubelet actions. A later one may cross a call already on its way.
	from := r.sent
	if n > 1 {
		from = f.acts(n).Add(f.Acts)
	}
	applied := 0
	for _, c := range f.containers {
		if !c.alive(r.sent) {
			continue
		}
		for _, start := range slices.Concat(c.hookStarts, c.httpStarts, startsOf(c.execs)) {
			if start.After(from) && c.Hook != nil {
				return broken(start, "container %s: a hook started at %s, after grace 0 was requested at %s",
					c.Name, f.when(start), f.when(r.sent))
			}
		}
		zero := false
		for _, s := range c.stops {
			switch {
			case s.at.Before(r.sent):
			case s.timeout == 0 && !s.at.After(due):
				zero = true
			case s.timeout != 0 && c.alive(s.at) && (zero || s.at.After(from)):
				return broken(s.at, "at %s container %s was asked to stop with timeout %d instead of 0",
					f.when(s.at), c.Name, s.timeout)
			}
		}
		if !zero && !c.alive(due) && !c.exit.killed() {
			continue // exited by itself in the meantime
		}
		applied++
		if !zero {
			return broken(due, "container %s was not asked to stop with timeout 0 by %s", c.Name, f.when(due))
		}
		if found := f.deadBy(c, due); found.Outcome != "" {
			return found
		}
	}
	if applied == 0 {
		return invalid("every container had ended before grace 0 was requested")
	}
	if found := f.successor(r); found.Outcome != "" {
		return found
	}
	return held("stopped with timeout 0 and dead at once")
}

// notZero checks that a negative grace is not taken for 0: the API server changes it to 1, and no live container is asked to
// stop with timeout 0 before that second is over.
func (f *facts) notZero() Finding {
	i := slices.IndexFunc(f.requests, func(r request) bool { return r.negative })
	if i < 0 {
		return invalid("no request had grace 0")
	}
	earliest, _ := f.deadline(len(f.requests))
	shown := slices.IndexFunc(f.podEvents, func(e history.Event) bool { return e.Deletion != nil && e.Grace != nil })
	switch {
	case shown < 0:
		return invalid("no watch event showed what the API server changed the negative grace to")
	case *f.podEvents[shown].Grace != 1:
		return broken(f.podEvents[shown].At, "the API server changed a negative grace to %d", *f.podEvents[shown].Grace)
	}
	for _, c := range f.containers {
		for _, s := range c.stops {
			if s.timeout == 0 && s.at.Before(earliest.Add(-f.Grain)) && c.alive(s.at) {
				return broken(s.at, "at %s container %s was asked to stop with timeout 0, though grace 1 was requested", f.when(s.at), c.Name)
			}
		}
		if c.exit == nil {
			return invalid("the observation ended with container %s alive", c.Name)
		}
	}
	return held("a negative grace became 1, and no container was stopped with timeout 0")
}
