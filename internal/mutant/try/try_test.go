// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package try

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/mutant"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/verdict"
)

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
		{"goroutines left", rule(verdict.Invalid, "given up: deadlock: main bubble goroutine has exited but blocked goroutines remain"), "R13"},
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

// One loop serves both levels: it goes on after a mutant that survives or cannot be tried, and ends with the context.
func TestEach(t *testing.T) {
	var said strings.Builder
	ctx, interrupt := context.WithCancel(t.Context())
	red := []Catcher{{Scenario: "a", Rule: "R1"}}
	found := map[string]Result{"caught": {By: red}, "node": {By: red, Missed: []string{"b", "c"}}, "broken": {By: red, Err: errors.New("no compiler")}}
	all := []mutant.Mutant{{Name: "caught"}, {Name: "sim"}, {Name: "node"}, {Name: "broken"}}
	try := func(m mutant.Mutant) ([]Catcher, []string, error) {
		f := found[m.Name]
		return f.By, f.Missed, f.Err
	}
	results, err := Runner{Progress: &said}.each(ctx, all, try)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"a (R1)", "SURVIVED", "SURVIVED b, c", "ERROR"} {
		if got := results[i]; got.String() != want || got.Caught != (i == 0) || !strings.Contains(said.String(), all[i].Name+": "+want+" (") {
			t.Errorf("%s: got %s, want %s; said\n%s", all[i].Name, got, want, &said)
		}
	}
	if survived, err := Judge(results); !survived || err.Error() != "mutant broken: no compiler\n2 of 4 mutants survived: sim, node" {
		t.Errorf("got %t, %v", survived, err)
	}
	if survived, err := Judge(results[3:]); survived || err == nil {
		t.Errorf("got %t, %v", survived, err)
	}
	interrupt()
	if results, err := (Runner{Progress: &said}).each(ctx, all, try); results != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: got %v, %v", results, err)
	}
}
