// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// endsRule judges R11: every container exited and the pod left the API during the observation; and if a call hung, or the
// kubelet or the runtime was restarted, that did not delay a later, shorter request.
func endsRule(f *facts) Finding {
	if found := f.heldBack(); found.Outcome != "" {
		return found
	}
	by := f.requests[0].told.Add(f.scenario.Longest() + f.Slack)
	for _, c := range f.containers {
		if c.exit != nil {
			continue
		}
		if f.finished.Before(by) {
			return invalid("the observation ended at %s, before the last bound at %s", f.when(f.finished), f.when(by))
		}
		return broken(f.finished, "container %s never ended; observed until %s", c.Name, f.when(f.finished))
	}
	gone, ok := f.gone()
	if !ok {
		if f.finished.Before(by) {
			return invalid("the observation ended at %s, before the last bound at %s", f.when(f.finished), f.when(by))
		}
		return broken(f.finished, "the pod never left the API; observed until %s", f.when(f.finished))
	}
	return held("all containers ended; the pod left the API at %s", f.when(gone))
}

// heldBack checks that a shortening takes effect after a hanging call or a restart: the container is down when the contract
// requires it, or within 2 s of the request if the runtime had to be asked anew. What was asked before a restart is
// judged by R1 alone: a kubelet begins anew, and a runtime that was down may cost a retry.
func (f *facts) heldBack() Finding {
	disturbed := false
	for _, fault := range f.scenario.Faults {
		disturbed = disturbed || fault.Hangs
	}
	for _, step := range f.scenario.Steps {
		switch step.Do.(type) {
		case scenario.StartKubelet, scenario.RestartRuntime:
			disturbed = true
		}
	}
	if !disturbed {
		return Finding{}
	}
	acted := false
	for _, n := range f.shortenings() {
		if sent := f.requests[n-1].sent; f.restarted(sent, f.finished) || f.runtimeRestarted(sent) {
			acted = true
			continue
		}
		for _, c := range f.containers {
			if !c.alive(f.requests[n-1].sent) {
				continue
			}
			acted = true
			if found := f.deadBy(c, later(f.late(c, n), f.requests[n-1].told.Add(f.Window+f.Slack))); found.Outcome != "" {
				return found
			}
		}
	}
	if !acted {
		return invalid("no request shortened the grace of a container that still ran")
	}
	return Finding{}
}

// runtimeRestarted reports whether the runtime was restarted after the given time.
func (f *facts) runtimeRestarted(from time.Time) bool {
	return slices.ContainsFunc(f.steps, func(step history.Event) bool {
		return step.Reason == scenario.RestartRuntime{}.String() && step.At.After(from)
	})
}
