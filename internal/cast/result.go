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

package cast

import (
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/report"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Result has a history judged by every rule that its scenario names.
func Result(h history.History, s scenario.Scenario) report.Result {
	arm := verdict.Arm(h.Arm)
	result := report.Result{Scenario: s.ID, Arm: arm, Second: h.Second, Figures: judge.Measure(h, s)}
	for _, want := range s.In(h.Minor).At(scenario.Level(h.Level)).Expect {
		found := judge.Judge(want.Rule, h, s)
		result.Rules = append(result.Rules, report.RuleResult{
			Finding: found, Want: want.On(arm), Verdict: want.Verdict(arm, found.Outcome),
		})
	}
	return result
}
