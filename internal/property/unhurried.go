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

package property

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Kind is what kind of random scenarios is played, and what is held against them.
type Kind string

const (
	// Requests: what was asked for may shorten a grace. Each arm is judged by the judges of the catalogue.
	Requests Kind = "requests"
	// Unhurried: nothing that was asked for moves the deadline. What fixed does must be what stock does; where it may differ, the
	// judges of the catalogue say what it must do.
	Unhurried Kind = "unhurried"
)

// Kinds returns every kind.
func Kinds() []Kind { return []Kind{Requests, Unhurried} }

// StreamFD is the file that a suite writes what it played to.
const StreamFD = 3

// Played is one scenario of kind Unhurried as it was played on one arm. A suite writes one after the other, as JSON.
type Played struct {
	Seed int `json:"seed"`
	// Scenario is what was played in words, Row as a row for the catalogue. Why says that it could not be played to its end.
	Scenario string          `json:"scenario"`
	Row      string          `json:"row"`
	Why      string          `json:"why,omitempty"`
	History  history.History `json:"history"`
	// Findings are those of the catalogue's judges.
	Findings []judge.Finding `json:"findings,omitempty"`
}

// Same compares what stock and fixed made of one scenario. With no exceptions nothing may differ.
func Same(stock, fixed Played, may []judge.Exception) (*judge.Difference, *judge.Exception, error) {
	if stock.Seed != fixed.Seed || stock.Scenario != fixed.Scenario {
		return nil, nil, fmt.Errorf("the arms played two scenarios: seed %d (%s) and seed %d (%s)", stock.Seed, stock.Scenario, fixed.Seed, fixed.Scenario)
	}
	d, by := judge.Same(stock.History, fixed.History, may)
	return d, by, nil
}

// UnhurriedRules are the rules that say what fixed must do with an unhurried pod where it may differ from stock.
func UnhurriedRules(s scenario.Scenario) []scenario.Rule {
	if !plain(s) {
		return nil
	}
	struck := func(by func(scenario.Fault) bool) bool { return slices.ContainsFunc(s.Faults, by) }
	rules := []scenario.Rule{scenario.OneTerm, scenario.RuntimeCalls, scenario.NoLeftovers}
	// Where a call hangs, or the runtime does not say what lives, the pod ends when that does.
	if s.Leaves() && !struck(func(f scenario.Fault) bool { return f.Hangs || strings.HasSuffix(f.Call, "Status") }) {
		rules = append(rules, scenario.Ends)
	}
	// That of the hook knows none that the runtime keeps, nor one that goes on because a stop hangs.
	if !struck(func(f scenario.Fault) bool { return f.Hangs || f.Call == "ExecSync" && f.Delay > 0 }) {
		rules = append(rules, scenario.HookOnce)
	}
	return rules
}

// plain reports whether the judges know what happens: kills by terminations, one kubelet, and where a termination begins late, one
// request (they take another delete for one that moves the deadline, though the API passes it by).
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
