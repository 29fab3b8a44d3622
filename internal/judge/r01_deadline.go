// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import "time"

// deadlineRule judges R1: no container is killed before the deadline, and none lives past it, apart from the allowances of
// facts.late. A process may exit earlier by itself.
func deadlineRule(f *facts) Finding {
	return f.killedInTime(len(f.requests))
}

// killedInTime checks every container's exit against the deadline after the first n requests. A request that was sent after the
// exit changes nothing for that container.
func (f *facts) killedInTime(n int) Finding {
	earliest, _ := f.deadline(n)
	var last time.Time
	for _, c := range f.containers {
		n := n
		if c.exit != nil {
			n = max(min(n, f.sentBy(c.exit.at)), 1)
		}
		earliest, _ := f.deadline(n)
		if c.exit != nil && c.exit.killed() && c.exit.at.Before(earliest.Add(-f.Grain)) {
			return broken(c.exit.at, "container %s was killed at %s, before the deadline at %s",
				c.Name, f.when(c.exit.at), f.when(earliest))
		}
		if found := f.deadBy(c, f.late(c, n)); found.Outcome != "" {
			return found
		}
		last = later(last, c.exit.at)
	}
	return held("dead at %s, deadline %s", f.when(last), f.when(earliest))
}
