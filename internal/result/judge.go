// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"path/filepath"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Of judges a history by every rule that its scenario names.
func Of(h history.History, s scenario.Scenario) Result {
	arm := verdict.Arm(h.Arm)
	r := Result{Scenario: s.ID, Arm: arm, Second: h.Second, Figures: judge.Measure(h, s)}
	for _, want := range s.In(h.Minor).At(scenario.Level(h.Level)).Expect {
		found := judge.Judge(want.Rule, h, s)
		r.Rules = append(r.Rules, Rule{
			Finding: found, Want: want.On(arm), Verdict: want.Verdict(arm, found.Outcome),
		})
	}
	return r
}

// NotPlayed returns the result of a scenario without a history.
func NotPlayed(level scenario.Level, arm verdict.Arm, s scenario.Scenario, why string) Result {
	return Of(history.History{
		Header: history.Header{Scenario: s.ID, Arm: string(arm), Level: string(level)},
		Events: []history.Event{{Kind: history.Abandoned, At: time.Now(), Message: why}},
	}, s)
}

// HistoryPath returns the path of a scenario's history below the artifacts directory.
func HistoryPath(level scenario.Level, arm verdict.Arm, id string) string {
	return filepath.Join("histories", string(level), string(arm), id+".jsonl")
}
