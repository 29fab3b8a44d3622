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
