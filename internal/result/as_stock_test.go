// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestHoldAgainstStock(t *testing.T) {
	for _, c := range []struct {
		name    string
		asStock bool
		level   scenario.Level
		before  verdict.Verdict
		timeout int64 // of fixed; stock has 30
		want    verdict.Verdict
		says    string
	}{
		{"the same", true, scenario.LevelSim, verdict.Kept, 30, verdict.Kept, "as stock, call by call"},
		{"another timeout", true, scenario.LevelSim, verdict.Kept, 2, verdict.Regressed, "fixed has [cri.call StopContainer grace 2"},
		{"broken already", true, scenario.LevelSim, verdict.Regressed, 2, verdict.Regressed, "by itself"},
		{"never judged", true, scenario.LevelSim, verdict.Invalid, 30, verdict.Invalid, "by itself"},
		{"never judged, another timeout", true, scenario.LevelSim, verdict.Invalid, 2, verdict.Regressed, "grace 2"},
		{"a row about something else", false, scenario.LevelSim, verdict.Kept, 2, verdict.Kept, "by itself"},
		{"a real node", true, scenario.LevelNode, verdict.Kept, 2, verdict.Kept, "by itself"},
	} {
		dir := t.TempDir()
		row := scenario.Scenario{ID: "row", AsStock: c.asStock}
		results := Results{Level: c.level}
		for arm, timeout := range map[verdict.Arm]int64{verdict.Stock: 30, verdict.Fixed: c.timeout} {
			at := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
			h := history.History{Header: history.Header{Scenario: "row", Arm: string(arm), Level: string(c.level), Pod: "row"}, Events: []history.Event{
				{Seq: 1, At: at, Kind: history.CRICall, Pod: "row", Call: "StopContainer", Grace: &timeout},
				{Seq: 2, At: at, Kind: history.Finished, Pod: "row"}}}
			name := string(arm) + ".jsonl"
			if err := history.WriteFile(filepath.Join(dir, name), h); err != nil {
				t.Fatal(err)
			}
			found := verdict.Kept
			if arm == verdict.Fixed {
				found = c.before
			}
			outcome := map[verdict.Verdict]scenario.Outcome{verdict.Kept: scenario.Held, verdict.Regressed: scenario.Broken, verdict.Invalid: scenario.Invalid}[found]
			results.Results = append(results.Results, Result{Scenario: "row", Arm: arm, History: name, Rules: []Rule{
				{Finding: judge.Finding{Rule: scenario.Kept, Outcome: outcome, Why: "by itself"}, Want: scenario.Held, Verdict: found}}})
		}
		if err := HoldAgainstStock(&results, dir, []scenario.Scenario{row}); err != nil {
			t.Fatal(err)
		}
		fixed, _ := results.Find("row", verdict.Fixed)
		if got := fixed.Rules[0]; got.Verdict != c.want || !strings.Contains(got.Why, c.says) {
			t.Errorf("%s: got %s (%s), want %s (%s)", c.name, got.Verdict, got.Why, c.want, c.says)
		}
		if stock, _ := results.Find("row", verdict.Stock); stock.Rules[0].Why != "by itself" {
			t.Errorf("%s: stock has %q", c.name, stock.Rules[0].Why)
		}
	}
}

func TestHoldAgainstStockNeedsBothArms(t *testing.T) {
	results := Results{Level: scenario.LevelSim, Results: []Result{{Scenario: "row", Arm: verdict.Fixed}}}
	if err := HoldAgainstStock(&results, "nowhere", []scenario.Scenario{{ID: "row", AsStock: true}}); err != nil {
		t.Error(err)
	}
}
