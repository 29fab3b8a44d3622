// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/podspec"
	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Judged is what the judges say about one pod.
type Judged struct {
	// Findings are those of the rules that were judged. Dropped are the rules that disturbances put aside.
	Findings []judge.Finding
	Dropped  map[scenario.Rule]Kind
	// Moot are the rules that say nothing about the pod without any excuse either.
	Moot map[scenario.Rule]bool
	// Disturbed are the disturbances that hit the pod while it was being ended.
	Disturbed []Disturbance
	// Over reports whether the pod ended.
	Over bool
	// History is what was judged: with the disturbances as the judges know them.
	History history.History
}

// Judge has the history of a pod judged by every rule that applies to it, but for what the disturbances of its time excuse.
func Judge(h history.History, s scenario.Scenario, all []Disturbance) Judged {
	var j Judged
	asked, end := asked(h)
	for _, d := range all {
		if !asked.IsZero() && !d.From.After(end) && !d.last(end).Before(asked) {
			j.Disturbed = append(j.Disturbed, d)
		}
	}
	// A removal, and a call that begins after the end of the observation, is the kubelet's collection of what is left, whose end is
	// checked on the node; a look, which is recorded only when a fault struck it, is no part of a pod's end.
	j.Over = podspec.Over(s, slices.DeleteFunc(slices.Clone(h.Events), func(e history.Event) bool {
		return e.Kind == history.CRICall && (!e.At.Before(end) || strings.HasPrefix(e.Call, "Remove") || strings.HasSuffix(e.Call, "Status"))
	}))
	j.Dropped, j.Moot = map[scenario.Rule]Kind{}, map[scenario.Rule]bool{}
	undisturbed := property.Rules(s)
	for _, rule := range undisturbed {
		j.Moot[rule] = judge.Judge(rule, h, s).Outcome == scenario.Invalid
	}
	s.Faults = append(s.Faults, struck(h, asked)...)
	for _, d := range j.Disturbed {
		s = d.into(&h, s, asked, end)
		for _, e := range d.excuses() {
			if e.When != nil && !e.When(h, d) {
				continue
			}
			for _, rule := range e.Drops {
				j.Dropped[rule] = d.Kind
			}
			switch {
			case e.Refuses:
				s.Faults = append(s.Faults, scenario.Fault{Call: "StopContainer", Fails: true})
			case e.Slows:
				s.Faults = append(s.Faults, scenario.Fault{Call: "StopContainer", Delay: time.Second})
			}
		}
	}
	j.History = h
	rules := property.Rules(s)
	for _, rule := range undisturbed {
		if _, ok := j.Dropped[rule]; !ok && !slices.Contains(rules, rule) {
			j.Dropped[rule] = j.cause()
		}
	}
	for _, rule := range rules {
		if _, ok := j.Dropped[rule]; !ok {
			j.Findings = append(j.Findings, judge.Judge(rule, h, s))
		}
	}
	return j
}

// cause returns the kind of the disturbance of the runtime that hit the pod.
func (j Judged) cause() Kind {
	for _, d := range j.Disturbed {
		switch d.Kind {
		case RuntimeRestarted, CallFails, CallHangs, CallSlow:
			return d.Kind
		}
	}
	return CallFails // a call struck that the ledger does not have
}

// asked returns when the pod was first asked to end, and when the observation ended.
func asked(h history.History) (first, end time.Time) {
	for _, e := range h.Events {
		switch e.Kind {
		case history.APIDelete:
			if first.IsZero() {
				first = e.At
			}
		case history.Finished:
			end = e.At
		}
	}
	return first, end
}

// struck returns the faults that struck calls about the pod since it was asked to end, as its history has them, and the calls that
// the runtime, or its absence, refused. What struck its start is over.
func struck(h history.History, asked time.Time) (all []scenario.Fault) {
	add := func(f scenario.Fault) {
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	for _, e := range h.Events {
		switch {
		case e.At.Before(asked):
		case e.Kind == history.CRICall && e.Reason == "fault: hang":
			add(scenario.Fault{Call: e.Call, Hangs: true})
			// It is let go when the fault is over.
			add(scenario.Fault{Call: e.Call, Delay: 5 * time.Second})
		case e.Kind == history.CRICall && e.Reason == "fault: delay":
			add(scenario.Fault{Call: e.Call, Delay: delay})
		case e.Kind == history.CRIReturn && (e.Error == "Unavailable" || e.Message == errRefused.Error()):
			add(scenario.Fault{Call: e.Call, Fails: true})
		}
	}
	return all
}

// into writes a disturbance into a pod's history as the judges know it: the steps of a restart, and the time that counts as the
// machine's. It returns the scenario with those steps.
func (d Disturbance) into(h *history.History, s scenario.Scenario, asked, end time.Time) scenario.Scenario {
	h.Events = slices.Clone(h.Events)
	step := func(at time.Time, do scenario.Action) {
		h.Events = append(h.Events, history.Event{Kind: history.Step, At: at, Pod: h.Pod, Reason: do.String()})
	}
	if d.stalls() {
		span := d.span(end)
		h.Events = append(h.Events, history.Event{Kind: history.ControlLate, At: span.From, Pod: h.Pod, Late: span.To.Sub(span.From).Seconds(),
			Message: string(d.Kind)})
	}
	if d.To.IsZero() || !d.From.After(asked) {
		return s // what happened before the first request is no part of the termination
	}
	switch d.Kind {
	case KubeletKilled:
		step(d.From, scenario.KillKubelet{})
		step(d.To, scenario.StartKubelet{})
		s.Steps = append(slices.Clone(s.Steps), scenario.Step{After: d.To.Sub(asked), Do: scenario.StartKubelet{}})
	case RuntimeRestarted:
		step(d.To, scenario.RestartRuntime{})
		s.Steps = append(slices.Clone(s.Steps), scenario.Step{After: d.To.Sub(asked), Do: scenario.RestartRuntime{}})
	}
	return s
}
