// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"testing"

	"github.com/kgrace/kgrace/internal/verdict"
)

func TestVerdicts(t *testing.T) {
	repair := Expectation{Rule: Zero, Stock: Broken, Fixed: Held}
	keep := Expectation{Rule: Zero, Stock: Held, Fixed: Held}
	for _, c := range []struct {
		arm   verdict.Arm
		want  Expectation
		found Outcome
		is    verdict.Verdict
	}{
		{verdict.Stock, repair, Broken, verdict.Reproduced},
		{verdict.Stock, repair, Held, verdict.NotReproduced},
		{verdict.Fixed, repair, Held, verdict.Repaired},
		{verdict.Fixed, repair, Broken, verdict.StillBroken},
		{verdict.Stock, keep, Held, verdict.Kept},
		{verdict.Stock, keep, Broken, verdict.Regressed},
		{verdict.Fixed, keep, Held, verdict.Kept},
		{verdict.Fixed, keep, Broken, verdict.Regressed},
		{verdict.Stock, repair, Invalid, verdict.Invalid},
		{verdict.Fixed, keep, Invalid, verdict.Invalid},
		{verdict.Fixed, keep, "", verdict.Invalid},
	} {
		got := c.want.Verdict(c.arm, c.found)
		if got != c.is {
			t.Errorf("%s %v %s: %s, want %s", c.arm, c.want, c.found, got, c.is)
		}
		if got.Good() && got.Red() {
			t.Errorf("%s is both good and red", got)
		}
		if got == verdict.Invalid && (got.Good() || got.Red()) {
			t.Error("invalid is neither good nor red")
		}
	}
}
