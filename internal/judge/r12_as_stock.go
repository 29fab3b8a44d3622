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

import (
	"slices"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// asStock judges what R12 keeps of a pod that nobody hurried, as far as one history shows it: nothing is sent before the
// termination begins; each container is given the time that is left until the deadline, and at least the window; one that ends
// by itself is not killed; no hook is cut, nor said to be; and who waits for the pod's end inside the kubelet is answered. What
// the other arm did is not asked here.
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
		return f.answeredOnce() // of a pod that had ended; stock lets such a caller wait in vain
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

// nothingSent: no container is asked to stop, no hook runs and no sandbox is stopped before a moment.
func (f *facts) nothingSent(before time.Time) Finding {
	if act := f.firstAct(f.requests[0].sent, before.Add(-1)); !act.IsZero() && act.Before(before.Add(-f.Grain)) {
		return broken(act, "at %s something was done to end the pod, though its termination had not begun", f.when(act))
	}
	return held("nothing was done before the termination began")
}

// unhurried returns a finding if a container was given less than it had.
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

// hookEvents returns a finding if the kubelet says that a hook failed which had the time it takes, and which no fault and no exit
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
	return broken(f.kubelet[i].At, "the kubelet says at %s that a hook failed: %s", f.when(f.kubelet[i].At), f.kubelet[i].Message)
}
