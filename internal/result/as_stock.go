// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"path/filepath"
	"slices"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// HoldAgainstStock compares fixed with stock in each scenario that must behave as on stock and was played on both arms. Its
// finding replaces that of the judge of R12 on fixed, unless that one is already red. It needs virtual time: in real time, two
// runs of one arm are never equal. dir is the directory that the names of the histories are relative to.
func HoldAgainstStock(results *Results, dir string, catalogue []scenario.Scenario) error {
	if results.Level != scenario.LevelSim {
		return nil
	}
	for _, s := range catalogue {
		if !s.In(results.Minor).AsStock {
			continue
		}
		stock, ok := results.Find(s.ID, verdict.Stock)
		at := slices.IndexFunc(results.Results, func(r Result) bool { return r.Scenario == s.ID && r.Arm == verdict.Fixed })
		if !ok || at < 0 || stock.History == "" || results.Results[at].History == "" {
			continue
		}
		fixed := &results.Results[at]
		i := slices.IndexFunc(fixed.Rules, func(r Rule) bool { return r.Rule == scenario.Kept })
		if i < 0 || fixed.Rules[i].Verdict.Red() {
			continue
		}
		one, err := history.ReadFile(filepath.Join(dir, stock.History))
		if err != nil {
			return err
		}
		other, err := history.ReadFile(filepath.Join(dir, fixed.History))
		if err != nil {
			return err
		}
		want := scenario.Expectation{Rule: scenario.Kept, Stock: scenario.Held, Fixed: scenario.Held}
		found := judge.AsStock(one, other)
		if found.Outcome == scenario.Held && fixed.Rules[i].Outcome != scenario.Held {
			continue // the judge could not judge the one history
		}
		fixed.Rules[i] = Rule{Finding: found, Want: scenario.Held, Verdict: want.Verdict(verdict.Fixed, found.Outcome)}
	}
	return nil
}
