// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// asStock judges what R12 guarantees for a pod that nobody hurried, as far as one history shows it: no call is sent before the
// termination begins; each container gets the time until the deadline, and at least the window; a container that exits by
// itself is not killed; no hook is cancelled or reported as failed; and every caller inside the kubelet that waits for the
// pod's end gets an answer. This check does not use the other arm's history.
func (f *facts) asStock() Finding {
	b := f.begins[0]
	until := b.lo
	if b.missed {
		until = f.finished
	}
	found := f.nothingSent(until)
	switch {
	case found.Outcome != scenario.Held:
		return found
	case b.missed && len(f.evictions) > 0:
		return f.answeredOnce() // the pod had ended; on stock such a caller waits in vain
	case b.missed:
		return found
	}
	for _, c := range f.containers {
		if found := f.unhurried(c); found.Outcome != "" {
			return found
		}
	}
	if found := f.hookEvents(); found.Outcome != "" {
		return found
	}
	if len(f.evictions) > 0 {
		return f.evicted()
	}
	if len(f.shortenings()) > 0 {
		return invalid("a request moved the deadline, so the pod was hurried")
	}
	if f.scenario.Pulls() {
		return f.pulled()
	}
	return f.twoPhases()
}

// nothingSent checks that before the given time no container is asked to stop, no hook runs and no sandbox is stopped.
func (f *facts) nothingSent(before time.Time) Finding {
	if act := f.firstAct(f.requests[0].sent, before.Add(-1)); !act.IsZero() && act.Before(before.Add(-f.Grain)) {
		return broken(act, "at %s the kubelet acted to end the pod, though its termination had not begun", f.when(act))
	}
	return held("nothing was done before the termination began")
}

// unhurried returns a finding if a container was given less time than its grace period.
func (f *facts) unhurried(c *container) Finding {
	earliest, _ := f.deadline(len(f.requests))
	for _, s := range c.stops {
		if c.aliveAtCall(s) && s.target().Before(earliest.Add(-f.Grain)) {
			return broken(s.at, "at %s container %s was asked to stop in %d s, though it had until %s",
				f.when(s.at), c.Name, s.timeout, f.when(earliest))
		}
	}
	switch {
	case c.exit == nil:
		return f.endless(c)
	case c.exit.killed() && c.exit.at.Before(earliest.Add(-f.Grain)):
		return broken(c.exit.at, "container %s was killed at %s, though it had until %s", c.Name, f.when(c.exit.at), f.when(earliest))
	case c.exit.killed() && !c.Stubborn:
		return broken(c.exit.at, "container %s, which ends by itself, was killed at %s", c.Name, f.when(c.exit.at))
	}
	return Finding{}
}

// hookEvents returns a finding if the kubelet reports the failure of a hook that had enough time and that no fault and no exit
// code made fail.
func (f *facts) hookEvents() Finding {
	fails := slices.ContainsFunc(f.scenario.Faults, func(fault scenario.Fault) bool { return fault.Call == "ExecSync" })
	b := f.beginning(len(f.requests))
	earliest, _ := f.deadline(len(f.requests))
	for _, c := range f.containers {
		if c.Hook != nil {
			outlived := c.Hook.Takes == 0 || earliest.Before(b.lo.Add(c.Hook.Takes))
			fails = fails || c.Hook.Fails || c.Hook.EndsMain > 0 || outlived
		}
	}
	i := slices.IndexFunc(f.kubelet, func(e history.Event) bool { return e.Reason == "FailedPreStopHook" })
	if i < 0 || fails {
		return Finding{}
	}
	return broken(f.kubelet[i].At, "the kubelet reports at %s that a hook failed: %s", f.when(f.kubelet[i].At), f.kubelet[i].Message)
}
