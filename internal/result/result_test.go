// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

func seconds(s float64) *float64 { return &s }

func rule(id scenario.Rule, verdict verdict.Verdict, why string) Rule {
	return Rule{Finding: judge.Finding{Rule: id, Why: why}, Verdict: verdict}
}

func example() Results {
	return Results{
		Minor: "v1.37", Level: scenario.LevelNode, Arms: verdict.Arms(), Seconds: 61.4,
		Scenarios: []string{"force-while-terminating", "lengthen"},
		Results: []Result{
			{Scenario: "force-while-terminating", Arm: verdict.Stock, Figures: judge.Figures{Dead: seconds(30.1), Forced: seconds(27.1)},
				Rules: []Rule{rule("R3", verdict.Reproduced, ""), rule("R4", verdict.Reproduced, "")}},
			{Scenario: "force-while-terminating", Arm: verdict.Fixed, Figures: judge.Figures{Dead: seconds(3.2), Forced: seconds(.2)},
				Rules: []Rule{rule("R3", verdict.Repaired, ""), rule("R4", verdict.Repaired, "")}},
			{Scenario: "lengthen", Arm: verdict.Stock, Figures: judge.Figures{Dead: seconds(5.1)}, Rules: []Rule{rule("R2", verdict.Kept, "")}},
			{Scenario: "lengthen", Arm: verdict.Fixed, Figures: judge.Figures{Dead: seconds(5.1)}, Rules: []Rule{rule("R2", verdict.Kept, "")}},
		},
	}
}

func table(t *testing.T, r Results) string {
	t.Helper()
	var b strings.Builder
	if err := r.Table(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTable(t *testing.T) {
	want := `SCENARIO                 RULE  STOCK       FIXED  VERDICT      STOCK DEAD AT  FIXED DEAD AT
force-while-terminating  R3    reproduced  fixed  as expected  30.10 s        3.20 s
                         R4    reproduced  fixed  as expected
lengthen                 R2    kept        kept   as expected  5.10 s         5.10 s

scenarios: 2 on stock and fixed of v1.37 (61 s): 2 reproduced, 2 fixed, 2 kept
force of a terminating pod to container dead, median: stock 27.10 s, fixed 0.20 s
GOOD
`
	if diff := cmp.Diff(want, table(t, example())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// If a verdict depends on the kubelet's request, the table shows how late the runtime was; it also shows which scenarios ran a
// second time, and why.
func TestTableSaysWhoWasLate(t *testing.T) {
	r := example()
	r.Results[1].Rules[1].RuntimeLate = 1.94
	r.Results[1].Figures.RuntimeLate, r.Results[1].ControlLate = 1.94, .31
	r.Results[3].Second = "R2: late by 2.3 s"
	text := table(t, r)
	for _, want := range []string{
		"30.10 s        3.20 s (runtime late by 1.9 s)\n",
		"\nlengthen on fixed: second run, alone on its node; the first was inconclusive: R2: late by 2.3 s\n",
		"\nlate by at most: fixed: runtime 1.9 s, control 0.31 s, 1 run twice\nGOOD\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestTableNamesWhatTheMinorSkips(t *testing.T) {
	catalogue, err := scenario.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	_, skipped, err := scenario.PickIn(catalogue, "v1.22", scenario.LevelNode)
	if err != nil {
		t.Fatal(err)
	}
	r := example()
	r.Minor, r.Skipped = "v1.22", SkippedIn("v1.22", skipped)
	text := table(t, r)
	for _, want := range []string{
		"\nnot in v1.22: sidecar-shorten, sidecar-force, sidecar-order, sidecar-with-hook, sidecar-of-a-finished-main (since v1.29: init containers that ",
		"\nnot in v1.22: hook-sleep-shorten, sleep-as-long-as-grace (since v1.30: ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if r.Status() != verdict.StatusGood {
		t.Errorf("skipped scenarios make the run %s", r.Status())
	}
}

func TestStatusTellsRedFromInvalid(t *testing.T) {
	if got := example().Status(); got != verdict.StatusGood {
		t.Fatalf("the good run is %s", got)
	}
	for name, c := range map[string]struct {
		change func(*Results)
		want   verdict.Status
		says   string
	}{
		"red": {func(r *Results) { r.Results[1].Rules[1] = rule("R4", verdict.StillBroken, "asked with 2") }, verdict.StatusRed,
			"force-while-terminating on fixed: R4 (zero is a value) still-broken: asked with 2"},
		"stock turned green": {func(r *Results) { r.Results[0].Rules[0].Verdict = verdict.NotReproduced }, verdict.StatusRed, "RED"},
		"invalid":            {func(r *Results) { r.Results[3].Rules[0] = rule("R2", verdict.Invalid, "never armed") }, verdict.StatusInvalid, "lengthen on fixed: R2 (only shorter) invalid: never armed"},
		"red before invalid": {func(r *Results) {
			r.Results[0].Rules[0].Verdict = verdict.Invalid
			r.Results[3].Rules[0].Verdict = verdict.Regressed
		}, verdict.StatusRed, "1 regressed, 1 invalid"},
		"missing":         {func(r *Results) { r.Results = r.Results[:3] }, verdict.StatusInvalid, "lengthen on fixed: no result"},
		"a rule missing":  {func(r *Results) { r.Results[3].Rules = nil }, verdict.StatusInvalid, "INVALID"},
		"unknown verdict": {func(r *Results) { r.Results[3].Rules[0].Verdict = "" }, verdict.StatusInvalid, "INVALID"},
		"nothing ran":     {func(r *Results) { *r = Results{} }, verdict.StatusInvalid, "nothing ran"},
	} {
		t.Run(name, func(t *testing.T) {
			r := example()
			c.change(&r)
			if got := r.Status(); got != c.want {
				t.Errorf("status %s, want %s", got, c.want)
			}
			if text := table(t, r); !strings.Contains(text, c.says) {
				t.Errorf("the table does not contain %q:\n%s", c.says, text)
			}
		})
	}
}

func TestForcedIsTheMedian(t *testing.T) {
	var r Results
	for _, s := range []float64{.4, .1, .2} {
		r.Results = append(r.Results, Result{Arm: verdict.Fixed, Figures: judge.Figures{Forced: &s}})
	}
	if median, n := r.Forced(verdict.Fixed); median != .2 || n != 3 {
		t.Errorf("got %v of %d", median, n)
	}
	if _, n := r.Forced(verdict.Stock); n != 0 {
		t.Errorf("stock has no such scenario, got %d", n)
	}
}

func TestResultsComeBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "results.json")
	if _, err := Read(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	want := example()
	if err := want.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := os.WriteFile(path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("half a file: %v", err)
	}
}
