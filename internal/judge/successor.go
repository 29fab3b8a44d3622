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

// succeeds is how long after grace 0 was asked for the next pod's containers may take to start, where one takes the pod's
// place: its controller makes it, the scheduler places it and the kubelet starts it as soon as the API has forgotten the first.
const succeeds = 5 * time.Second

// successor is part of R4 where another pod takes the place of one that was ended with grace 0: because zero means now, its
// containers start soon, and none starts while the one before it lives. zero is the request with grace 0. An empty finding says
// that nothing is wrong.
func (f *facts) successor(zero request) Finding {
	if !f.scenario.Replaced() {
		return Finding{}
	}
	by := zero.told.Add(succeeds + f.Slack)
	for _, c := range f.containers {
		var next time.Time
		for _, at := range c.started {
			if at.After(zero.sent) {
				next = at
				break
			}
		}
		switch {
		case next.IsZero() && f.finished.Before(by):
			return invalid("the observation ended at %s, before container %s of the next pod had to start by %s",
				f.when(f.finished), c.Name, f.when(by))
		case next.IsZero():
			return broken(by, "container %s of the next pod never started, due by %s", c.Name, f.when(by))
		case next.After(by):
			return broken(next, "container %s of the next pod started only at %s, due by %s", c.Name, f.when(next), f.when(by))
		}
		for _, before := range f.containers {
			if before.alive(next.Add(f.Grain)) {
				return broken(next, "container %s of the next pod started at %s while %s of the first one lived",
					c.Name, f.when(next), before.Name)
			}
		}
	}
	return Finding{}
}
