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

// onlyShorterRule judges R2: later requests never move the deadline later. Every container is dead by the deadline of the
// first request, and no stop call gives a container that lives more time than an earlier call had left it.
func onlyShorterRule(f *facts) Finding {
	if len(f.requests) < 2 {
		return invalid("there was no second request that could have moved the deadline")
	}
	second := f.requests[1]
	applies := false
	for _, c := range f.containers {
		applies = applies || c.alive(second.sent)
		for i, s := range c.stops {
			if !c.alive(s.at) || s.timeout <= int64(f.Window.Seconds()) {
				continue
			}
			for _, before := range c.stops[:i] {
				if by := s.target().Sub(before.target()); by > f.Rounding+f.Slack {
					return broken(s.at, "at %s container %s was given until %s, though it had only until %s",
						f.when(s.at), c.Name, f.when(s.target()), f.when(before.target()))
				}
			}
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
