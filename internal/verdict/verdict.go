// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

// Verdict is the meaning of a finding on an arm, compared with the expectation.
type Verdict string

const (
	// Reproduced: stock broke the rule, as the catalogue expects.
	Reproduced Verdict = "reproduced"
	// NotReproduced: stock held a rule that it was expected to break. Upstream fixed it, or the test no longer detects it.
	NotReproduced Verdict = "not-reproduced"
	// Repaired: fixed held a rule that stock breaks.
	Repaired Verdict = "fixed"
	// StillBroken: fixed broke a rule that stock breaks.
	StillBroken Verdict = "still-broken"
	// Kept: a rule that both arms are expected to hold was held.
	Kept Verdict = "kept"
	// Regressed: a rule that both arms are expected to hold was broken.
	Regressed Verdict = "regressed"
	// Alike: both arms fail, through a fault of upstream or of the environment.
	Alike Verdict = "alike"
	// Invalid: the run did not reach the point where the rule applies.
	Invalid Verdict = "invalid"
)

// Good reports whether the verdict is the expected one.
func (v Verdict) Good() bool { return v == Reproduced || v == Repaired || v == Kept }

// Red reports whether a judge found something other than expected. Alike and Invalid are neither good nor red.
func (v Verdict) Red() bool { return v == NotReproduced || v == StillBroken || v == Regressed }
