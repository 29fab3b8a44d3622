// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import "time"

// succeeds is the time allowed, after a request with grace 0, for the containers of the replacement pod to start: its
// controller creates it, the scheduler places it and the kubelet starts it as soon as the first pod has left the API.
const succeeds = 5 * time.Second

// successor checks the part of R4 about a pod that replaces one ended with grace 0: because zero means now, its containers
// start soon, and none starts while the previous one lives. zero is the request with grace 0. An empty finding means that the
// check passed.
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
