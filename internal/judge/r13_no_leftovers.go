// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"time"

	"github.com/kgrace/kgrace/internal/scenario"
)

// noLeftoversRule judges R13 as far as a history shows it: no container is asked to stop after its exit, no runtime call about
// the pod is still running at the end, a started HTTP hook has been cancelled by the deadline (the server saw its client
// disconnect), and, at the sim level, which records it, the kubelet holds no record of the kill. Goroutines, contexts and
// timers show only at the unit and sim levels, where a bubble does not end while one is left.
func noLeftoversRule(f *facts) Finding {
	if len(f.unanswered) > 0 {
		var down time.Time
		for _, c := range f.containers {
			if c.exit == nil {
				return invalid("the observation ended with container %s alive", c.Name)
			}
			if c.exit.at.After(down) {
				down = c.exit.at
			}
		}
		for _, e := range f.unanswered {
			if e.Call == "StopPodSandbox" && e.At.After(down) {
				// The sync still waits for the sandbox of a pod whose containers are down, so the termination goes on.
				return invalid("the observation ended at %s, while the sandbox was being stopped", f.when(f.finished))
			}
		}
		e := f.unanswered[0]
		return broken(f.finished, "the %s call of %s had not returned when the observation ended", e.Call, f.when(e.At))
	}
	if len(f.left) > 0 {
		return broken(f.left[0].At, "the kubelet still kept %d record(s) of killing pods when the observation ended", f.left[0].Count)
	}
	ended := 0
	for _, c := range f.containers {
		if found := f.givenUp(c); found.Outcome != "" {
			return found
		}
		if c.exit == nil {
			continue
		}
		ended++
		for _, s := range c.stops {
			if s.at.After(c.exit.at.Add(f.Acts + f.Slack)) {
				return broken(s.at, "container %s, down since %s, was asked to stop at %s", c.Name, f.when(c.exit.at), f.when(s.at))
			}
		}
	}
	if ended == 0 {
		return invalid("no container ended, so there were no leftovers to check")
	}
	return held("no call is left, none was made for a container that was down, and no hook's request outlived its time")
}

// givenUp returns a finding if the request of an HTTP hook ran for too long.
func (f *facts) givenUp(c *container) Finding {
	if c.Hook == nil || c.Hook.Kind != scenario.HookHTTP || len(c.httpStarts) == 0 {
		return Finding{}
	}
	if !f.shortenedSince(c.httpStarts[0]) && c.exit != nil {
		return Finding{} // the request ends with its container, which is the server
	}
	_, latest := f.deadline(len(f.requests))
	due := latest.Add(f.Returns + f.Acts + f.Slack)
	switch {
	case len(c.httpGone) == 0 && !c.alive(due):
		return invalid("container %s ended at %s, too early for its server to see the client go",
			c.Name, f.when(c.exit.at))
	case len(c.httpGone) == 0:
		return broken(due, "container %s: the hook's HTTP request was never given up, due by %s", c.Name, f.when(due))
	case c.httpGone[0].After(due):
		return broken(c.httpGone[0], "container %s: the hook's HTTP request was given up only at %s, due by %s",
			c.Name, f.when(c.httpGone[0]), f.when(due))
	}
	return Finding{}
}
