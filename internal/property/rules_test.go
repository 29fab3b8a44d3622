// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package property

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/sim"
)

func example() scenario.Scenario {
	return scenario.Scenario{ID: "random-1", Pod: scenario.Pod{Grace: 30, Containers: []scenario.Container{{Name: "main", Stubborn: true}}},
		Steps: []scenario.Step{{Do: scenario.Delete{Grace: 30}}, {After: 3 * time.Second, Do: scenario.Force{}}}}
}

func TestRules(t *testing.T) {
	s := example()
	for _, rule := range []scenario.Rule{scenario.Deadline, scenario.ShorterActs, scenario.Zero, scenario.Ends} {
		if !slices.Contains(Rules(s), rule) {
			t.Errorf("%s is not judged", rule)
		}
	}
	s.Faults = []scenario.Fault{{Call: "StopContainer", Fails: true, For: time.Second}}
	rules := Rules(s)
	if slices.Contains(rules, scenario.Deadline) || slices.Contains(rules, scenario.Quiet) || !slices.Contains(rules, scenario.OnlyShorter) {
		t.Errorf("with a runtime that refuses: %v", rules)
	}
}

func TestOn(t *testing.T) {
	s := example()
	for _, rule := range Rules(s) {
		s.Expect = append(s.Expect, scenario.Expectation{Rule: rule})
	}
	if got := On(sim.Containerd, s); len(got.Expect) != len(s.Expect) {
		t.Errorf("containerd: %v", got.Expect)
	}
	if got := On(sim.CRIO, s); len(got.Expect) != len(s.Expect)-2 {
		t.Errorf("CRI-O: %v", got.Expect)
	}
}

func TestShortens(t *testing.T) {
	s := example()
	if !Shortens(s) {
		t.Error("a force does not shorten")
	}
	s.Steps[1].Do = scenario.Delete{Grace: 60}
	if Shortens(s) {
		t.Error("a longer delete shortens")
	}
}

func TestRowAndWords(t *testing.T) {
	s := example()
	s.Pod.Containers[0].Hook = &scenario.Hook{Kind: scenario.HookExec}
	row := Row(s, scenario.Zero, "killed at 30 s")
	for _, want := range []string{`ID:     "random-1"`, "// R4 was broken: killed at 30 s", "Grace: 30", "at(0, Delete{Grace:30}), at(3, Force{})", `Hook: &Hook{Kind: "exec", Takes: 0}`} {
		if !strings.Contains(row, want) {
			t.Errorf("the row does not contain %q:\n%s", want, row)
		}
	}
	if got, want := Words(s), "G=30; main stubborn, exec hook that never ends; +0s del(30); +3s force"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
