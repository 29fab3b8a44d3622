// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/history"
)

// quietRule judges R10 as far as events show it: no FailedKillPod except for failures at the runtime, and one Killing event per
// container and run of the kubelet; for pods deleted before they ran, no container that failed with a cancelled context.
func quietRule(f *facts) Finding {
	if f.scenario.Bursts() {
		return f.quietBurst()
	}
	for _, e := range f.kubelet {
		if e.Reason != "FailedKillPod" {
			continue
		}
		if strings.Contains(e.Message, "context canceled") || !f.anyRefused(e.At) {
			return broken(e.At, "a FailedKillPod event at %s: %s", f.when(e.At), e.Message)
		}
	}
	for _, c := range f.containers {
		if found := f.killings(c); found.Outcome != "" {
			return found
		}
		if c.exit == nil {
			return invalid("the observation ended with container %s alive, so another event could still come", c.Name)
		}
	}
	return held("no FailedKillPod for a cancellation, one Killing event for each container")
}

// killings checks a container's Killing events in each run of the kubelet.
func (f *facts) killings(c *container) Finding {
	var all []history.Event
	for _, e := range f.kubelet {
		if e.Reason != "Killing" || !about(e, c.Name) {
			continue
		}
		last := len(all) - 1
		// An event that a kubelet sent just before it was killed may be recorded after that.
		if last >= 0 && !f.restarted(all[last].At.Add(-f.Slack), e.At) {
			return broken(e.At, "a second Killing event of container %s, at %s", c.Name, f.when(e.At))
		}
		if e.Count > 1 {
			return broken(e.At, "a Killing event of container %s with count %d", c.Name, e.Count)
		}
		all = append(all, e)
	}
	if len(all) == 0 && c.alive(f.origin) {
		return invalid("no Killing event of container %s was recorded", c.Name)
	}
	return Finding{}
}

// anyRefused reports whether, by the given time, the runtime had answered a call that ends the pod with an error of its own.
func (f *facts) anyRefused(by time.Time) bool {
	failed := func(s call) bool { return s.refused() && !s.back.After(by.Add(f.Slack)) }
	for _, c := range f.containers {
		if slices.ContainsFunc(c.stops, failed) {
			return true
		}
	}
	return slices.ContainsFunc(f.sandboxStops, failed)
}

// about reports whether an event names the container, by its field or as a word of its message.
func about(e history.Event, name string) bool {
	if e.Container != "" {
		return e.Container == name
	}
	for word := range strings.FieldsSeq(e.Message) {
		if strings.Trim(word, `.,:;"'`) == name {
			return true
		}
	}
	return false
}

// quietBurst checks that neither a kubelet event nor a container status in the API mentions a cancelled context. A runtime that
// creates and removes many containers at once may fail for reasons of its own; those failures are recorded and do not count
// here.
func (f *facts) quietBurst() Finding {
	seen := 0
	for _, e := range f.events {
		switch e.Kind {
		case history.APIContainer, history.KubeletEvent:
			seen++
			if strings.Contains(e.Message, "context canceled") {
				return broken(e.At, "at %s pod %s reports a cancelled context: %s", f.when(e.At), e.Pod, e.Message)
			}
		}
	}
	if seen == 0 {
		return invalid("neither an event nor a container status of these pods was seen")
	}
	return held("%d events and statuses, none with a cancelled context", seen)
}
