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

package property

import (
	"testing"

	"github.com/kgrace/kgrace/internal/scenario"
)

func TestSameRefusesTwoScenarios(t *testing.T) {
	if _, _, err := Same(Played{Seed: 7}, Played{Seed: 8}, nil); err == nil {
		t.Error("results of two seeds were compared")
	}
}

func TestUnhurriedRules(t *testing.T) {
	for _, rule := range UnhurriedRules(scenario.Scenario{Steps: []scenario.Step{{Do: scenario.Delete{Grace: 1}}}}) {
		if !rule.Known() {
			t.Errorf("unknown rule %q", rule)
		}
	}
}
