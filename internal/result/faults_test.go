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

package result

import (
	"testing"

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
