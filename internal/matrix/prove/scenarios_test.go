// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/matrix"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// tree returns verdicts in which the given scenarios are broken.
func tree(broken ...string) *verdicts {
	v := &verdicts{Scenarios: map[string]finding{}}
	for _, id := range []string{"a", "b", "c"} {
		v.Scenarios[id] = finding{}
	}
	for _, id := range broken {
		v.Scenarios[id] = finding{Broken: []scenario.Rule{"R3", "R4"}}
	}
	return v
}

func TestJudged(t *testing.T) {
	gone := &verdicts{Missing: "patch 3 does not apply to it"}
	invalid := tree()
	invalid.Scenarios["a"] = finding{Invalid: "R3: no pod"}
	for name, c := range map[string]struct {
		byStage []*verdicts
		without *verdicts
		breaks  bool
		want    string
	}{
		"broken without it":       {[]*verdicts{tree("a"), tree("a"), tree()}, tree("a"), true, "proved: the series without the patch breaks R3 R4; held from patch 2 on"},
		"broken before it":        {[]*verdicts{tree("a"), tree("a"), tree()}, gone, true, "proved: the tree before the patch breaks R3 R4; held from patch 2 on"},
		"held without it":         {[]*verdicts{tree("a"), tree("a"), tree()}, tree(), true, "red: held by the series without the patch as well; it does not belong in the trailer"},
		"held before it":          {[]*verdicts{tree("a"), tree(), tree()}, gone, true, "red: held by the tree before the patch as well"},
		"guards half a fix":       {[]*verdicts{tree(), tree(), tree()}, tree("a"), false, "proved: the series without the patch breaks R3 R4; held on stock"},
		"guards, cannot be asked": {[]*verdicts{tree(), tree(), tree()}, gone, false, "nothing: stock holds it"},
		"broken by the series":    {[]*verdicts{tree("a"), tree("a"), tree("a")}, tree("a"), true, "red: broken by the whole series: R3 R4"},
		"invalid on the series":   {[]*verdicts{tree("a"), tree("a"), invalid}, tree("a"), true, "not-run: on the whole series: R3: no pod"},
		"invalid without it":      {[]*verdicts{tree("a"), tree("a"), tree()}, invalid, true, "not-run: on the series without the patch: R3: no pod"},
		"before does not compile": {[]*verdicts{tree("a"), gone, tree()}, gone, true, "not-run: on the tree before the patch: patch 3 does not apply"},
	} {
		t.Run(name, func(t *testing.T) {
			e := judged("a", 2, c.byStage, c.without, c.breaks)
			if got := string(e.Status) + ": " + e.Text; !strings.HasPrefix(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := besides([]string{"a"}, tree(), tree("a", "b")); len(got) != 1 || got[0] != "b" {
		t.Errorf("besides the trailer: %v", got)
	}
}

func TestWhatUpstreamHas(t *testing.T) {
	breaks, err := brokenOnStock([]string{"shorten-once", "quiet-cancel", "force-direct"}, "v1.37")
	if err != nil || strings.Join(breaks, " ") != "force-direct shorten-once" && strings.Join(breaks, " ") != "shorten-once force-direct" {
		t.Errorf("stock breaks %v, %v", breaks, err)
	}
	for name, c := range map[string]struct {
		breaks []string
		stock  *verdicts
		want   bool
	}{
		"all held":          {[]string{"a", "b"}, tree(), true},
		"one still broken":  {[]string{"a", "b"}, tree("b"), false},
		"none to be broken": {nil, tree(), false},
		"nothing known":     {[]string{"x"}, tree(), false},
	} {
		if got := upstreamHasIt(c.breaks, c.stock); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestVerdictsOf(t *testing.T) {
	rule := func(r scenario.Rule, v verdict.Verdict, why string) result.Rule {
		return result.Rule{Finding: judge.Finding{Rule: r, Why: why}, Verdict: v}
	}
	got := verdictsOf(result.Results{Results: []result.Result{
		{Scenario: "held", Rules: []result.Rule{rule("R1", verdict.Repaired, ""), rule("R2", verdict.Kept, "")}},
		{Scenario: "broken", Rules: []result.Rule{rule("R1", verdict.StillBroken, ""), rule("R2", verdict.Regressed, ""), rule("R3", verdict.Invalid, "no pod")}},
		{Scenario: "left", Rules: []result.Rule{rule("R1", verdict.Invalid, "deadlock: main bubble goroutine has exited but blocked goroutines remain")}},
		{Scenario: "invalid", Rules: []result.Rule{rule("R1", verdict.Repaired, ""), rule("R2", verdict.Invalid, "no pod")}},
		{Scenario: "empty"},
	}})
	for id, want := range map[string]string{"held": "", "broken": "R1 R2", "left": "R13"} {
		if v := got[id]; rules(v.Broken) != want || v.Invalid != "" {
			t.Errorf("%s: %+v", id, v)
		}
	}
	for _, id := range []string{"invalid", "empty"} {
		if v := got[id]; v.held() || v.Invalid == "" || len(v.Broken) > 0 {
			t.Errorf("%s: %+v", id, v)
		}
	}
}

func TestKeptVerdicts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tree.json")
	for text, want := range map[string]string{
		`{"tree": "stock", "scenarios": {"a": {}}}`:              "",
		`{"tree": "stock", "missing": "patch 4 does not apply"}`: "",
		`{"tree": "stock"}`: "no scenario, and no reason",
		`{"tree": "stock", "scenarios": {"a": {"brocken": ["R1"]}}}`: "contains no verdicts on a tree",
		`{"tree`: "contains no verdicts on a tree",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readVerdicts(path); (err == nil) != (want == "") || err != nil && !(strings.Contains(err.Error(), want) && strings.Contains(err.Error(), path)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestNoSeamIsNotRun requests scenarios on a minor that the sim level does not support.
func TestNoSeamIsNotRun(t *testing.T) {
	l := newLab(t, nil, testsOfSeries)
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	l.repo.Root = root
	l.plan.Minor = "v1.99"
	l.expect(map[string]string{"1 scenarios": "not-run: the sim level has no seam for v1.99; there is one for v1.22"})
	l.plan.Patches[0].Scenarios, l.plan.Patches[0].NoScenario = nil, "tests only"
	if got := l.prove(1, matrix.Scenarios); got != "nothing: tests only" {
		t.Errorf("got %s", got)
	}
}
