// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

// shorterActsRule judges R3: after a request that moved the deadline, every running container is asked at once to stop within
// the remaining time, rounded up to whole seconds (see prompt.go for "at once"), and dies by the deadline.
func shorterActsRule(f *facts) Finding {
	applied := 0
	for _, n := range f.shortenings() {
		_, latest := f.deadline(n)
		for _, c := range f.containers {
			s, found, applies := f.promptly(c, n, f.Acts)
			if !applies {
				continue
			}
			applied++
			if found.Outcome != "" {
				return found
			}
			// The call may also be the response to a request sent right after this one.
			earliest, _ := f.deadline(max(n, f.sentBy(s.at)))
			if s.target().Before(earliest.Add(-f.Grain)) {
				return broken(s.at, "at %s container %s was asked to stop in %d s, which is before the deadline at %s",
					f.when(s.at), c.Name, s.timeout, f.when(earliest))
			}
			if f.tooLong(c, s, n) {
				return broken(s.at, "at %s container %s was asked to stop in %d s, though the deadline was %s",
					f.when(s.at), c.Name, s.timeout, f.when(latest))
			}
			if found := f.deadBy(c, f.late(c, n)); found.Outcome != "" {
				return found
			}
		}
	}
	if applied == 0 {
		return invalid("no request shortened the grace of a container that still ran")
	}
	return held("each shorter request was passed on in time with the remaining time")
}
