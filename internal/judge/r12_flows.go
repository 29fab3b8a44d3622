// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// flow returns the R12 check specific to the scenario; nil if there is none.
func (f *facts) flow() func() Finding {
	s := f.scenario
	_, killed := f.step(scenario.KillKubelet{})
	switch {
	case s.Pod.Static:
		return f.static
	case s.Bursts():
		return f.burst
	case s.Pod.Owner == scenario.OwnerJob:
		return f.job
	case slices.ContainsFunc(s.Pod.All(), func(c scenario.Container) bool { return c.Sick > 0 }):
		return f.sick
	case s.AsStock:
		return f.asStock
	case s.Pulls():
		return f.pulled
	case slices.ContainsFunc(s.Steps, overrides):
		return f.evicted
	case killed:
		return f.orphan
	case slices.ContainsFunc(f.containers, func(c *container) bool { return c.Probe > 0 }):
		return f.probed
	}
	return nil
}

// overrides reports whether a step is one of the kubelet's own kills.
func overrides(step scenario.Step) bool {
	switch step.Do.(type) {
	case scenario.Evict, scenario.Shutdown:
		return true
	}
	return false
}

// step finds a step of the scenario.
func (f *facts) step(do scenario.Action) (scenario.Step, bool) {
	for _, step := range f.scenario.Steps {
		if step.Do == do {
			return step, true
		}
	}
	return scenario.Step{}, false
}

// evicted checks that each caller inside the kubelet is answered once, without an error, after the containers are down.
func (f *facts) evicted() Finding {
	var down time.Time
	for _, c := range f.containers {
		if c.exit == nil {
			return f.endless(c)
		}
		down = later(down, c.exit.at)
	}
	if found := f.answeredOnce(); found.Outcome != scenario.Held {
		return found
	}
	for _, e := range f.evictions {
		switch {
		case e.err != "":
			return broken(e.back, "the caller of %s got %q at %s", f.when(e.at), e.err, f.when(e.back))
		case e.back.Before(down.Add(-f.Grain)):
			return broken(e.back, "the caller of %s was answered at %s, before the pod was down at %s",
				f.when(e.at), f.when(e.back), f.when(down))
		}
	}
	return held("each of %d callers was answered once, when the containers were down", len(f.evictions))
}

// answeredOnce checks that each caller inside the kubelet gets exactly one answer, whatever it is.
func (f *facts) answeredOnce() Finding {
	if len(f.evictions) == 0 {
		return invalid("no caller inside the kubelet requested the pod's end")
	}
	for _, e := range f.evictions {
		switch {
		case e.answers == 0:
			return broken(f.finished, "the caller of %s was never answered", f.when(e.at))
		case e.answers > 1:
			return broken(e.back, "the caller of %s was answered %d times", f.when(e.at), e.answers)
		}
	}
	return held("each of %d callers was answered once", len(f.evictions))
}

// endless returns the finding for a container that did not end.
func (f *facts) endless(c *container) Finding {
	by := f.origin.Add(f.scenario.Longest() + f.Slack)
	if f.finished.Before(by) {
		return invalid("the observation ended at %s with container %s alive, before the last bound at %s",
			f.when(f.finished), c.Name, f.when(by))
	}
	return broken(f.finished, "container %s never ended; observed until %s", c.Name, f.when(f.finished))
}

// orphan checks that a container which no configuration names when the kubelet starts is torn down: it is asked to stop with
// grace 1, hence with timeout 2 at most, and none of its hooks runs. It may die sooner and, on a real machine, without a stop
// call: the kubelet also kills processes in the cgroups of pods that it does not know.
func (f *facts) orphan() Finding {
	started, ok := f.done(scenario.StartKubelet{})
	if !ok {
		return invalid("the kubelet was not started again")
	}
	dead, _ := f.done(scenario.KillKubelet{})
	for _, c := range f.containers {
		for _, start := range slices.Concat(c.hookStarts, c.httpStarts, startsOf(c.execs)) {
			if c.Hook != nil && start.After(dead) {
				return broken(start, "container %s: a hook started at %s, though no configuration names it any more", c.Name, f.when(start))
			}
		}
		if c.exit == nil {
			return f.endless(c)
		}
		first, asked := c.stopped(dead)
		switch {
		case !asked && f.Slack == 0:
			return broken(c.exit.at, "container %s ended at %s without having been asked to stop", c.Name, f.when(c.exit.at))
		case !asked:
		case first.timeout < 1 || seconds(first.timeout) > f.Window:
			return broken(first.at, "container %s was asked to stop with timeout %d; an orphan has grace 1", c.Name, first.timeout)
		default:
			if found := f.deadBy(c, first.target().Add(f.Slack)); found.Outcome != "" {
				return found
			}
		}
	}
	return held("torn down with grace 1 after the kubelet's start at %s, no hook", f.when(started))
}

// probed checks that the readiness probe keeps running after the shortening, until the container is down.
func (f *facts) probed() Finding {
	if len(f.shortenings()) == 0 {
		return invalid("no request shortened the grace")
	}
	from := f.requests[f.shortenings()[0]-1].told
	for _, c := range f.containers {
		if c.Probe == 0 {
			continue
		}
		if c.exit == nil {
			return f.endless(c)
		}
		if !slices.ContainsFunc(c.probes, func(at time.Time) bool { return at.Before(from) }) {
			return invalid("the probe of container %s never ran before the shortening", c.Name)
		}
		// One period, and a second one for jitter and the probe's own run time.
		last, gap := from, 2*c.Probe+f.Slack
		for _, at := range append(slices.Clone(c.probes), c.exit.at) {
			if at.Before(from) || at.After(c.exit.at) {
				continue
			}
			if at.Sub(last) > gap {
				return broken(last, "the probe of container %s did not run from %s to %s", c.Name, f.when(last), f.when(at))
			}
			last = at
		}
	}
	return held("the probe ran until the container's end")
}

// pulled checks that a pod deleted during an image pull ends, and that the container of that image never starts.
func (f *facts) pulled() Finding {
	pulls := map[string]bool{}
	for _, c := range f.scenario.Pod.All() {
		pulls[c.Name] = c.Pull
	}
	for _, e := range f.events {
		switch {
		case !pulls[e.Container]:
		case e.Kind == history.CRICall && e.Call == "StartContainer":
			return broken(e.At, "container %s was started at %s", e.Container, f.when(e.At))
		case e.Kind == history.Line && e.Reason == "START":
			return broken(e.At, "container %s ran at %s", e.Container, f.when(e.At))
		}
	}
	gone, ok := f.gone()
	if !ok {
		if f.finished.Before(f.requests[0].told.Add(f.scenario.Longest() + f.Slack)) {
			return invalid("the observation ended before the pod could leave the API")
		}
		return broken(f.finished, "the pod never left the API; observed until %s", f.when(f.finished))
	}
	return held("gone from the API at %s, no container started", f.when(gone))
}

// sick checks that a kill by the liveness probe does not count as a termination: a hook that outlives the grace period keeps
// running beside the stop call, until the container's end.
func (f *facts) sick() Finding {
	calls := map[int64]string{}
	for _, e := range f.events {
		switch {
		case e.Kind == history.CRICall && e.Call == "ExecSync" && strings.Contains(e.Message, " hook "):
			calls[e.CallID] = e.Container
		case e.Kind == history.CRIReturn && calls[e.CallID] != "":
			i := slices.IndexFunc(f.containers, func(c *container) bool { return c.Name == e.Container })
			if i >= 0 && f.containers[i].alive(e.At) {
				return broken(e.At, "the hook of container %s was cancelled at %s, though SyncPod ran it", e.Container, f.when(e.At))
			}
		}
	}
	if len(calls) == 0 {
		return invalid("no hook ran, so the probe killed no container")
	}
	return held("the hook ran until its container's end")
}

// job checks that the Job controller, which acts on the exit code in the pod's final status, fails the Job for 128 + SIGKILL,
// and not before the containers are down.
func (f *facts) job() Finding {
	var down time.Time
	for _, c := range f.containers {
		if c.exit == nil {
			return f.endless(c)
		}
		down = later(down, c.exit.at)
	}
	said := slices.IndexFunc(f.events, func(e history.Event) bool { return e.Kind == history.APIJob })
	by := down.Add(judgesJob + f.Slack)
	switch {
	case said < 0 && f.finished.Before(by):
		return invalid("the observation ended at %s, before the Job had to finish by %s", f.when(f.finished), f.when(by))
	case said < 0:
		return broken(by, "the Job never finished, due by %s", f.when(by))
	}
	e := f.events[said]
	switch {
	case e.Reason != podFailurePolicy || !strings.Contains(e.Message, "exit code 137"):
		return broken(e.At, "the Job finished at %s with %s (%s); its policy names exit code 137", f.when(e.At), e.Reason, e.Message)
	case e.At.Before(down.Add(-f.Grain)):
		return broken(e.At, "the Job finished at %s, before the containers were down at %s", f.when(e.At), f.when(down))
	case e.At.After(by):
		return broken(e.At, "the Job finished only at %s, due by %s", f.when(e.At), f.when(by))
	}
	return held("the Job failed by its policy at %s, for exit code 137", f.when(e.At))
}

const (
	// podFailurePolicy is the reason of a Job that failed by its pod failure policy.
	podFailurePolicy = "PodFailurePolicy"
	// judgesJob is the time allowed for the final status and the Job controller: the kubelet reports the status at once, and
	// the controller delays its sync of pods by a second or a few.
	judgesJob = 10 * time.Second
)

// burst checks that none of the pods, whose containers all fail, is reported as succeeded, and that all leave the API.
func (f *facts) burst() Finding {
	left := map[string]bool{}
	ended := 0
	for _, e := range f.events {
		switch e.Kind {
		case history.APIPod:
			left[e.Pod] = e.Reason == "DELETED"
			if e.Message == "Succeeded" {
				return broken(e.At, "pod %s is reported as succeeded at %s", e.Pod, f.when(e.At))
			}
		case history.APIContainer:
			ended++
			if e.ExitCode != nil && *e.ExitCode == 0 {
				return broken(e.At, "the container of pod %s is reported with exit code 0 at %s", e.Pod, f.when(e.At))
			}
		}
	}
	for pod, gone := range left {
		if !gone {
			return broken(f.finished, "pod %s never left the API; observed until %s", pod, f.when(f.finished))
		}
	}
	if ended == 0 {
		return invalid("no container's end was seen in the API, so none could have been wrong")
	}
	return held("%d container exits reported, none as a success; %d pods gone", ended, len(left))
}
