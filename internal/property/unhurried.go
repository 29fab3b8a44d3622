// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package property

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Kind is the kind of random scenarios, which determines the check.
type Kind string

const (
	// Requests: requests may shorten the grace. The judges of the catalogue judge each arm.
	Requests Kind = "requests"
	// Unhurried: no request moves the deadline. Fixed must do what stock does; where it may differ, the judges of the catalogue
	// apply to it.
	Unhurried Kind = "unhurried"
)

// Kinds returns every kind.
func Kinds() []Kind { return []Kind{Requests, Unhurried} }

// StreamFD is the file descriptor to which a suite writes the scenarios that it played.
const StreamFD = 3

// Played is one played scenario of kind Unhurried on one arm. A suite writes one after the other, as JSON.
type Played struct {
	Seed int `json:"seed"`
	// Scenario is the scenario as text, Row as a row for the catalogue. Why is the reason if it could not be played to its end.
	Scenario string          `json:"scenario"`
	Row      string          `json:"row"`
	Why      string          `json:"why,omitempty"`
	History  history.History `json:"history"`
	// Findings are the findings of the catalogue's judges.
	Findings []judge.Finding `json:"findings,omitempty"`
}

// Same compares stock and fixed in one scenario. Without exceptions nothing may differ.
func Same(stock, fixed Played, may []judge.Exception) (*judge.Difference, *judge.Exception, error) {
	if stock.Seed != fixed.Seed || stock.Scenario != fixed.Scenario {
		return nil, nil, fmt.Errorf("the arms played different scenarios: seed %d (%s) and seed %d (%s)", stock.Seed, stock.Scenario, fixed.Seed, fixed.Scenario)
	}
	d, by := judge.Same(stock.History, fixed.History, may)
	return d, by, nil
}

// UnhurriedRules returns the rules for an unhurried pod on fixed where it may differ from stock.
func UnhurriedRules(s scenario.Scenario) []scenario.Rule {
	if !plain(s) {
		return nil
	}
	struck := func(by func(scenario.Fault) bool) bool { return slices.ContainsFunc(s.Faults, by) }
	rules := []scenario.Rule{scenario.OneTerm, scenario.RuntimeCalls, scenario.NoLeftovers}
	// If a call hangs, or the runtime does not report which containers run, the pod ends only when that is over.
	if s.Leaves() && !struck(func(f scenario.Fault) bool { return f.Hangs || strings.HasSuffix(f.Call, "Status") }) {
		rules = append(rules, scenario.Ends)
	}
	// The judge of HookOnce does not handle a hook that the runtime keeps, or one that continues because a stop hangs.
	if !struck(func(f scenario.Fault) bool { return f.Hangs || f.Call == "ExecSync" && f.Delay > 0 }) {
		rules = append(rules, scenario.HookOnce)
	}
	return rules
}

// plain reports whether the judges cover the scenario: only terminations kill, there is one kubelet, and if a termination
// begins late, there is one request (the judges take a second delete for one that moves the deadline, though the API ignores
// it).
func plain(s scenario.Scenario) bool {
	if s.Pod.Restarts {
		return false
	}
	for _, c := range s.Pod.All() {
		if c.EndsByItself() || c.PostStart != nil || c.Hook != nil && c.Hook.EndsMain > 0 {
			return false
		}
	}
	requests, late := 0, s.Pulls()
	for _, step := range s.Steps {
		switch step.Do.(type) {
		case scenario.LoseSandbox, scenario.KillKubelet, scenario.RestartRuntime:
			return false
		case scenario.Touch:
			late = true
		}
		if _, asked := scenario.Asked(step.Do, s.Pod.Grace); asked {
			requests++
		}
	}
	return requests == 1 || !late
}
