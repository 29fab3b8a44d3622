// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestLeadIsTheWorst(t *testing.T) {
	for want, all := range map[verdict.Verdict][]verdict.Verdict{
		verdict.Kept:       {verdict.Kept},
		verdict.Repaired:   {verdict.Kept, verdict.Repaired},
		verdict.Invalid:    {verdict.Repaired, verdict.Invalid},
		verdict.Regressed:  {verdict.Repaired, verdict.Regressed, verdict.Invalid},
		verdict.Reproduced: {verdict.Kept, verdict.Reproduced},
	} {
		var r Result
		for _, v := range all {
			r.Rules = append(r.Rules, Rule{Verdict: v})
		}
		if got := r.Lead(); got != want {
			t.Errorf("%v: got %s, want %s", all, got, want)
		}
	}
	if got := (Result{}).Lead(); got != verdict.Invalid {
		t.Errorf("no rule: %s", got)
	}
}

func TestFaultsAndTallies(t *testing.T) {
	of := func(id string, arm verdict.Arm, all ...verdict.Verdict) Result {
		r := Result{Scenario: id, Arm: arm}
		for i, v := range all {
			r.Rules = append(r.Rules, Rule{Finding: judge.Finding{Rule: scenario.Rules()[i], Why: "why"}, Verdict: v})
		}
		return r
	}
	r := Results{Arms: verdict.Arms(), Scenarios: []string{"a", "b"}, Results: []Result{
		of("a", verdict.Stock, verdict.Reproduced, verdict.Kept), of("a", verdict.Fixed, verdict.Repaired, verdict.Regressed),
		of("b", verdict.Stock, verdict.Kept, verdict.Invalid)}}
	var got []string
	for _, id := range r.Scenarios {
		for _, f := range r.Faults(id) {
			got = append(got, f.String())
		}
	}
	want := []string{"a on fixed: R2 (only shorter) regressed: why", "b on stock: R2 (only shorter) invalid: why", "b on fixed: no result; the run was cut short"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(Tally{verdict.Reproduced: 1, verdict.Kept: 2, verdict.Repaired: 1, verdict.Regressed: 1, verdict.Invalid: 1, Missing: 1}, r.Judged()); diff != "" {
		t.Errorf("judged (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(Tally{verdict.Regressed: 1, Missing: 1}, r.Leads(verdict.Fixed)); diff != "" {
		t.Errorf("cells of fixed (-want +got)\n%s", diff)
	}
}

// TestRowsThatAreApartSayWhy judges the recorded histories of a real node: a row whose rules are all kept, but whose containers
// died at different times, must say why in the catalogue.
func TestRowsThatAreApartSayWhy(t *testing.T) {
	catalogue, err := scenario.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	results := Results{Arms: verdict.Arms()}
	for _, s := range catalogue {
		for _, arm := range verdict.Arms() {
			h, err := history.ReadFile(filepath.Join("..", "judge", "testdata", "histories", string(arm), s.ID+".jsonl"))
			if err != nil {
				continue // not of the node level
			}
			results.Results = append(results.Results, Of(h, s))
		}
	}
	apart := 0
	for _, s := range catalogue {
		if !results.Apart(s.ID) {
			continue
		}
		if apart++; s.Apart == "" {
			t.Errorf("%s is kept, but its containers died at different times: say why in Apart", s.ID)
		}
	}
	if apart == 0 {
		t.Error("no recorded row is apart: this test proves nothing")
	}
}
