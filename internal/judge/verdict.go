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

package judge

import "github.com/kgrace/kgrace/internal/scenario"

// Verdict is what a finding means on an arm, given what the catalogue expects.
type Verdict string

const (
	// Reproduced: stock broke the rule as the catalogue says.
	Reproduced Verdict = "reproduced"
	// NotReproduced: stock was to break the rule and held it. Upstream fixed it, or the test lost its teeth.
	NotReproduced Verdict = "not-reproduced"
	// Fixed: fixed held a rule that stock breaks.
	Fixed Verdict = "fixed"
	// StillBroken: fixed broke a rule that stock breaks.
	StillBroken Verdict = "still-broken"
	// KeptGood: a rule that both arms are to hold was held.
	KeptGood Verdict = "kept"
	// Regressed: a rule that both arms are to hold was broken.
	Regressed Verdict = "regressed"
	// NotRun: the run never got to the point where the rule applies.
	NotRun Verdict = "invalid"
)

// Of returns the verdict.
func Of(arm scenario.Arm, want scenario.Expectation, found scenario.Outcome) Verdict {
	repair := want.Stock == scenario.Broken
	switch {
	case found != scenario.Held && found != scenario.Broken:
		return NotRun
	case !repair && found == scenario.Held:
		return KeptGood
	case !repair:
		return Regressed
	case arm == scenario.Stock && found == scenario.Broken:
		return Reproduced
	case arm == scenario.Stock:
		return NotReproduced
	case found == scenario.Held:
		return Fixed
	default:
		return StillBroken
	}
}

// Good says that the verdict is the one the catalogue expects.
func (v Verdict) Good() bool { return v == Reproduced || v == Fixed || v == KeptGood }

// Red says that a judge saw something else than the catalogue expects. Invalid is neither good nor red.
func (v Verdict) Red() bool { return v == NotReproduced || v == StillBroken || v == Regressed }
