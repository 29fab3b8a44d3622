// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
