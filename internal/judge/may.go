// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Exception is a permitted difference between fixed and stock in a pod that nobody hurried.
type Exception struct {
	// Name identifies the exception, Rule is the contract rule that permits it, and Why gives the reason.
	Name string
	Rule scenario.Rule
	Why  string
	// From returns the time from which the arms may differ, taken from the history of stock; false if there is none. Before
	// that time they must be equal; after it the other rules apply to fixed. nil if the exception does not depend on time.
	From func(stock history.History) (time.Time, bool)
	// Without returns a history without the events that only one of the arms may have; nil if no events are dropped.
	Without func(history.History) history.History
}

// May returns all exceptions.
func May() []Exception {
	return []Exception{{
		Name: "zero",
		Rule: scenario.Zero,
		Why:  "fixed passes zero to the runtime as zero, without hook, turn or window; stock raises it to two seconds",
		From: zeroFrom,
	}, {
		Name: "sandbox",
		Rule: scenario.RuntimeCalls,
		Why: "stock stops the sandbox after a failed stop, which kills the remaining containers whatever is left of their grace; fixed " +
			"retries first. A retry keeps the first deadline (R2) and repeats neither a successful hook (R7) nor a Killing event (R10)",
		From: sandboxFrom,
	}, {
		Name: "hook left over",
		Rule: scenario.NoLeftovers,
		Why: "stock leaves a hook that outlives its container at the runtime, and finally reports that it failed; " +
			"fixed cancels it when the pod is down",
		Without: withoutLeftovers,
	}}
}

// zeroFrom returns when grace zero is first requested from the API, or when the API sets it for a first request without a
// grace.
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

// sandboxFrom returns when stock, after the termination had begun, first stopped the sandbox of a container whose stop had
// failed, even if the container has ended by then: fixed retries the stop without knowing that. It returns the time of the failure if another container had not been asked to stop by then and may have been waiting
// for its turn: stock keeps it waiting, fixed does not. What SyncPod does to a pod is as on stock, whatever fails.
func sandboxFrom(stock history.History) (time.Time, bool) {
	// waits holds the containers that have not been asked to stop, or were asked at the time of the current event. It keeps
	// containers that have exited, because the kubelet waits for those too.
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

// withoutLeftovers drops the returns of hooks that came after their containers' exit, and the kubelet's events about such
// hooks.
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

// Same compares stock and fixed in one scenario up to the time from which they may differ. by is the exception that ended the
// comparison; nil if it covered the whole histories.
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
