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

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/mutant"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestPropertiesAndMutantsRefuseUnknownNames(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"properties", "--arm", "left"}, "known: stock, fixed"},
		{[]string{"properties", "--runtime", "docker"}, "known: containerd, crio"},
		{[]string{"properties", "--kubernetes", "v1.2"}, "versions.yaml knows"},
		{[]string{"properties", "--kubernetes", "v1.22"}, "the suite of v1.22 has no random scenarios"},
		{[]string{"properties", "--histories", "0"}, "at least 1"},
		{[]string{"properties", "--kind", "slow"}, "known: requests, unhurried"},
		{[]string{"properties", "--output", "xml"}, "table"},
		{[]string{"mutants", "round-up"}, "round-down"},
		{[]string{"mutants", "--level", "kind"}, "known: sim, node"},
		{[]string{"mutants", "--level", "node", "round-down"}, "none of these mutants names a scenario of level node"},
	} {
		var output, errs bytes.Buffer
		code := run(t.Context(), c.args, &output, &errs)
		if code != verdict.ExitUsage || output.Len() > 0 || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%v: exit %d, %q, %q; want exit %d with %q", c.args, code, output.String(), errs.String(), verdict.ExitUsage, c.want)
		}
	}
}

func TestMutantsAreListed(t *testing.T) {
	var output, errs bytes.Buffer
	if code := run(t.Context(), []string{"mutants", "--list"}, &output, &errs); code != verdict.ExitGood {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	for _, m := range mutant.All() {
		if !strings.Contains(output.String(), m.Name) {
			t.Errorf("%s is not listed", m.Name)
		}
	}
}

// On a node a mutant must be red in every scenario that it names. A scenario without a verdict counts neither way.
func TestNotRed(t *testing.T) {
	one := func(id string, v verdict.Verdict) result.Result {
		return result.Result{Scenario: id, Arm: verdict.Fixed, Rules: []result.Rule{{Finding: judge.Finding{Rule: "R1", Why: "why"}, Verdict: v}}}
	}
	results := result.Results{Scenarios: []string{"a", "b", "c", "d"}, Results: []result.Result{one("a", verdict.StillBroken), one("b", verdict.Repaired), one("c", verdict.Invalid)}}
	missed, err := notRed(results, caughtBy(results))
	if len(missed) != 1 || missed[0] != "b" {
		t.Errorf("missed %v", missed)
	}
	if err == nil || !strings.Contains(err.Error(), "c has no verdict: R1: why") || !strings.Contains(err.Error(), "d has no verdict") {
		t.Errorf("got %v", err)
	}
}

// Only a broken rule or leftover goroutines catch a mutant; an invalid run does not.
func TestCaughtBy(t *testing.T) {
	rule := func(v verdict.Verdict, why string) result.Result {
		return result.Result{Scenario: "s", Rules: []result.Rule{{Finding: judge.Finding{Rule: "R1", Why: why}, Verdict: v}}}
	}
	for _, c := range []struct {
		name   string
		result result.Result
		want   string
	}{
		{"held", rule(verdict.Repaired, "dead at 5.00 s"), ""},
		{"invalid", rule(verdict.Invalid, "the scenario was never armed"), ""},
		{"broken", rule(verdict.StillBroken, "dead at 60.00 s"), "R1"},
		{"regressed", rule(verdict.Regressed, "dead at 60.00 s"), "R1"},
		{"goroutines left", rule(verdict.Invalid, "given up: deadlock: main bubble goroutine has exited but "+leftover), "R13"},
	} {
		got := ""
		for _, by := range caughtBy(result.Results{Results: []result.Result{c.result}}) {
			got += string(by.Rule)
		}
		if got != c.want {
			t.Errorf("%s: caught by %q, want %q", c.name, got, c.want)
		}
	}
}
