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
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Exception is something in which fixed may differ from stock though nobody hurried the pod.
type Exception struct {
	// Name names it, Rule is the rule of the contract that says so, and Why gives its reason.
	Name string
	Rule scenario.Rule
	Why  string
	// From returns the moment from which on the arms may differ, as stock shows it; false if there is none. Before it they must
	// not, and from then on the other rules say what fixed must do. nil: the exception is no matter of time.
	From func(stock history.History) (time.Time, bool)
	// Without returns a history without what either arm may have and the other not; nil: with everything.
	Without func(history.History) history.History
}

// May are all of them.
func May() []Exception {
	return []Exception{{
		Name: "zero",
		Rule: scenario.Zero,
		Why:  "zero is carried to the runtime as zero: no hook, no turn to wait for, no window; stock makes two seconds of it",
		From: zeroFrom,
	}, {
		Name: "sandbox",
		Rule: scenario.RuntimeCalls,
		Why: "stock stops the sandbox after a stop that failed, and so kills what lives in it whatever is left of its grace; fixed tries " +
			"again first. A retry has what is left of the first deadline (R2), repeats no hook that succeeded (R7) and no Killing event (R10)",
		From: sandboxFrom,
	}, {
		Name: "hook left over",
		Rule: scenario.NoLeftovers,
		Why: "a hook that the runtime keeps when its container has ended is left to itself by stock, and said to have failed in the end; " +
			"fixed cancels it when the pod is down",
		Without: withoutLeftovers,
	}}
}

// zeroFrom is when a grace of zero is first asked of the API, or is what the API makes of a first request that names none.
func zeroFrom(stock history.History) (time.Time, bool) {
	deleted := false
	for _, e := range stock.Events {
		first := e.Kind == history.APIPod && e.Deletion != nil && !deleted
		deleted = deleted || first
		if (first || e.Kind == history.APIDelete) && e.Grace != nil && *e.Grace == 0 {
			return e.At, true
		}
	}
	return time.Time{}, false
}

// sandboxFrom is when stock, once the termination had begun, first stopped the sandbox under a container that a stop had failed
// for. Another container that had not been asked to stop when that failed may have been waiting for its turn: stock lets it wait
// on, fixed does not. What SyncPod does to a pod is as on stock, whatever fails.
func sandboxFrom(stock history.History) (time.Time, bool) {
	// waits are the containers that have not been asked to stop, or were in the very moment that is looked at. The kubelet waits
	// with one that has ended too.
	waits, failed := map[string]time.Time{}, map[string]bool{}
	began := false
	for _, e := range stock.ByTime() {
		switch {
		case e.Kind == history.KubeletBegan:
			began = true
		case e.Kind == history.CRIReturn && e.Call == "StartContainer":
			waits[e.ContainerID] = time.Time{}
		case e.Kind == history.CRICall && e.Call == "StopContainer":
			if _, ok := waits[e.ContainerID]; ok {
				waits[e.ContainerID] = e.At
			}
		case e.Kind == history.CRIReturn && e.Call == "StopContainer":
			failed[e.ContainerID] = began && e.Error != ""
			for id, asked := range waits {
				if failed[e.ContainerID] && id != e.ContainerID && (asked.IsZero() || asked.Equal(e.At)) {
					return e.At, true
				}
			}
		case e.Kind == history.ContainerExit:
			delete(failed, e.ContainerID)
		case e.Kind == history.CRICall && e.Call == "StopPodSandbox":
			for _, bad := range failed {
				if bad {
					return e.At, true
				}
			}
		}
	}
	return time.Time{}, false
}

// withoutLeftovers leaves out the returns of hooks that came after the moment in which their containers ended, and what the
// kubelet says of such hooks.
func withoutLeftovers(h history.History) history.History {
	ended, kept := map[string]time.Time{}, map[string]time.Time{}
	all := h.ByTime()
	h.Events = nil
	for _, e := range all {
		end, dead := ended[e.ContainerID]
		switch {
		case e.Kind == history.ContainerExit:
			ended[e.ContainerID] = e.At
		case e.Kind == history.CRIReturn && e.Call == "ExecSync" && dead && e.At.After(end):
			kept[e.Container] = e.At
			continue
		case e.Kind == history.KubeletEvent && e.Reason == "FailedPreStopHook" && kept[e.Container].Equal(e.At):
			continue
		}
		h.Events = append(h.Events, e)
	}
	return h
}

// Same compares what stock and fixed made of one scenario, up to where they may differ. by is what ended the comparison; nil if
// it went to the end.
func Same(stock, fixed history.History, may []Exception) (d *Difference, by *Exception) {
	var until time.Time
	for i, one := range may {
		if one.Without != nil {
			stock, fixed = one.Without(stock), one.Without(fixed)
			continue
		}
		if from, ok := one.From(stock); ok && (until.IsZero() || from.Before(until)) {
			until, by = from, &may[i]
		}
	}
	return Compare(stock, fixed, until), by
}
