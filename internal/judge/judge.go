// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"fmt"
	"slices"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Finding is the result of one rule's judge on one history.
type Finding struct {
	Rule    scenario.Rule    `json:"rule"`
	Outcome scenario.Outcome `json:"outcome"`
	// Why gives the reason in one sentence; for a broken rule it names the observation, its time and the bound.
	Why string `json:"why"`
	// At is the time of the decisive event, if there is one.
	At time.Time `json:"at,omitzero"`
	// RuntimeLate is how many seconds late the runtime executed a kill that the kubelet had requested in time, if the finding
	// depends on that.
	RuntimeLate float64 `json:"runtimeLateSeconds,omitempty"`
}

// rules maps each rule to its judge.
var rules = map[scenario.Rule]func(*facts) Finding{
	scenario.Deadline:     deadlineRule,
	scenario.OnlyShorter:  onlyShorterRule,
	scenario.ShorterActs:  shorterActsRule,
	scenario.Zero:         zeroRule,
	scenario.Window:       windowRule,
	scenario.OneTerm:      oneTermRule,
	scenario.HookOnce:     hookOnceRule,
	scenario.Prompt:       promptRule,
	scenario.RuntimeCalls: runtimeCallsRule,
	scenario.Quiet:        quietRule,
	scenario.Ends:         endsRule,
	scenario.Kept:         keptRule,
	scenario.NoLeftovers:  noLeftoversRule,
	scenario.LostUpdate:   lostUpdateRule,
}

// needsDeadline holds the rules that always count from the beginning of the termination.
var needsDeadline = map[scenario.Rule]bool{
	scenario.Deadline: true, scenario.OnlyShorter: true, scenario.ShorterActs: true, scenario.Zero: true,
	scenario.Window: true, scenario.Prompt: true, scenario.LostUpdate: true,
}

// needsRequest reports whether a rule says nothing about a pod whose end nobody requested. Static pods that stay and bursts, which
// have no requests by design, are judged by their events.
func needsRequest(rule scenario.Rule, s scenario.Scenario) bool {
	switch rule {
	case scenario.OneTerm, scenario.RuntimeCalls, scenario.Quiet:
		return false
	case scenario.Kept:
		return !s.Pod.Static && !s.Bursts()
	}
	return true
}

// Judge applies one rule to a history. The scenario is the one from the catalogue, before it is adapted to the level.
func Judge(rule scenario.Rule, h history.History, s scenario.Scenario) Finding {
	judge, ok := rules[rule]
	if !ok {
		return Finding{Rule: rule, Outcome: scenario.Invalid, Why: fmt.Sprintf("no judge for rule %q", rule)}
	}
	if h.Scenario != s.ID {
		return Finding{Rule: rule, Outcome: scenario.Invalid,
			Why: fmt.Sprintf("the history is of scenario %q, not %q", h.Scenario, s.ID)}
	}
	s = s.At(scenario.Level(h.Level))
	f, why := read(h, s)
	if why != "" {
		return Finding{Rule: rule, Outcome: scenario.Invalid, Why: why}
	}
	if len(f.requests) == 0 && needsRequest(rule, s) {
		return Finding{Rule: rule, Outcome: scenario.Invalid, Why: "nobody asked for the pod's end, so there is nothing to count from"}
	}
	if needsDeadline[rule] && slices.ContainsFunc(f.begins, func(b beginning) bool { return b.missed }) {
		return Finding{Rule: rule, Outcome: scenario.Invalid, Why: "no terminating sync of the pod ever started, so there is no deadline"}
	}
	found := f.standing(f.explain(judge, judge(f)))
	found.Rule = rule
	// Only a complete run can hold a rule.
	if found.Outcome == scenario.Held {
		if why := f.whole(); why != "" {
			return Finding{Rule: rule, Outcome: scenario.Invalid, Why: why}
		}
	}
	return found
}

// whole names what is missing from a complete run of the scenario; "" if nothing is.
func (f *facts) whole() string {
	requests, steps := 0, 0
	for _, step := range f.scenario.Steps {
		if _, ok := scenario.Asked(step.Do, f.scenario.Pod.Grace); ok {
			requests++
		}
		switch step.Do.(type) {
		case scenario.Delete, scenario.DeletePlainly, scenario.Force, scenario.Evict, scenario.Shutdown:
		default:
			steps++
		}
	}
	switch {
	case f.accepted+f.needless < requests:
		return fmt.Sprintf("only %d of %d requests were accepted by the API server", f.accepted, requests)
	case len(f.steps) < steps:
		return fmt.Sprintf("only %d of %d steps were carried out", len(f.steps), steps)
	}
	return ""
}

func held(format string, args ...any) Finding {
	return Finding{Outcome: scenario.Held, Why: fmt.Sprintf(format, args...)}
}

func broken(at time.Time, format string, args ...any) Finding {
	return Finding{Outcome: scenario.Broken, At: at, Why: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) Finding {
	return Finding{Outcome: scenario.Invalid, Why: fmt.Sprintf(format, args...)}
}
