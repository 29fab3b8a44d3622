// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// static judges what R12 guarantees for static pods: only the manifest ends them, with the grace of their spec; a pod of the
// same name starts only after the previous one is down; deleting the mirror pod has no effect on them.
func (f *facts) static() Finding {
	if f.scenario.Stays() {
		return f.mirror()
	}
	if found := f.killedInTime(1); found.Outcome != scenario.Held {
		return found
	}
	for _, c := range f.containers {
		var again time.Time
		for _, at := range c.started {
			if at.After(f.origin) {
				again = at
				break
			}
		}
		switch {
		case !again.IsZero() && again.Before(c.exit.at):
			return broken(again, "container %s started again at %s, while the old one lived to %s", c.Name, f.when(again), f.when(c.exit.at))
		case !again.IsZero() && !f.scenario.ComesBack():
			return broken(again, "container %s started again at %s, though no manifest names it", c.Name, f.when(again))
		case again.IsZero() && f.scenario.ComesBack():
			by := c.exit.at.Add(retry + f.Slack)
			if f.finished.Before(by) {
				return invalid("the observation ended at %s, before container %s had to start again by %s", f.when(f.finished), c.Name, f.when(by))
			}
			return broken(f.finished, "container %s never started again; observed until %s", c.Name, f.when(f.finished))
		}
	}
	return held("lived until its deadline, and no pod of the same name ran beside it")
}

// retry is how long the kubelet may take to start a static pod after its predecessor is gone.
const retry = 15 * time.Second

// mirror checks that deleting the mirror pod affects no container, and that the mirror pod comes back.
func (f *facts) mirror() Finding {
	var deleted, back time.Time
	for _, e := range f.events {
		if e.Kind != history.APIPod || e.At.Before(f.origin.Add(-f.Slack)) {
			continue
		}
		switch {
		case e.Reason == "DELETED" && deleted.IsZero():
			deleted = e.At
		case e.Reason == "ADDED" && !deleted.IsZero() && back.IsZero():
			back = e.At
		}
	}
	for _, c := range f.containers {
		switch {
		case c.exit != nil:
			return broken(c.exit.at, "container %s ended at %s, though only its mirror pod was deleted", c.Name, f.when(c.exit.at))
		case len(c.stops) > 0:
			return broken(c.stops[0].at, "container %s was asked to stop at %s, though only its mirror pod was deleted", c.Name, f.when(c.stops[0].at))
		case len(c.terms) > 0:
			return broken(c.terms[0], "container %s received a TERM at %s, though only its mirror pod was deleted", c.Name, f.when(c.terms[0]))
		case len(c.started) > 1:
			return broken(c.started[1], "container %s started again at %s", c.Name, f.when(c.started[1]))
		}
	}
	switch {
	case deleted.IsZero():
		return invalid("the mirror pod was not seen to be deleted")
	case back.IsZero():
		return broken(f.finished, "the mirror pod never came back; observed until %s", f.when(f.finished))
	}
	return held("no container was touched, and the mirror pod was back at %s", f.when(back))
}
