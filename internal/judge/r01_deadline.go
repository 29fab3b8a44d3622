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
