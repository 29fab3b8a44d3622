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

package verdict

// Verdict is what a finding means on an arm, given what is expected there.
type Verdict string

const (
	// Reproduced: stock broke the rule as the catalogue says.
	Reproduced Verdict = "reproduced"
	// NotReproduced: stock was to break the rule and held it. Upstream fixed it, or the test lost its teeth.
	NotReproduced Verdict = "not-reproduced"
	// Repaired: fixed held a rule that stock breaks.
	Repaired Verdict = "fixed"
	// StillBroken: fixed broke a rule that stock breaks.
	StillBroken Verdict = "still-broken"
	// Kept: a rule that both arms are to hold was held.
	Kept Verdict = "kept"
	// Regressed: a rule that both arms are to hold was broken.
	Regressed Verdict = "regressed"
	// Alike: both arms fail, through a fault of upstream's or of the surroundings.
	Alike Verdict = "alike"
	// Invalid: the run never got to the point where the rule applies.
	Invalid Verdict = "invalid"
)

// Good reports whether the verdict is the expected one.
func (v Verdict) Good() bool { return v == Reproduced || v == Repaired || v == Kept }

// Red reports whether a judge saw something else than what is expected. Alike and Invalid are neither good nor red.
func (v Verdict) Red() bool { return v == NotReproduced || v == StillBroken || v == Regressed }
