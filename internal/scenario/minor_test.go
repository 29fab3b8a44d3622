// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"slices"
	"strings"
	"testing"
)

func TestAMinorLacksWhatCameLater(t *testing.T) {
	all, err := Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range Levels() {
		old, skipped, err := PickIn(all, "v1.22", level)
		if err != nil {
			t.Fatal(err)
		}
		both, err := Pick(all, level)
		if err != nil || len(old)+len(skipped) != len(both) {
			t.Errorf("level %s: v1.22 runs %d scenarios and skips %d; there are %d (%v)", level, len(old), len(skipped), len(both), err)
		}
		for _, s := range skipped {
			if s.SkipReason("v1.22") == "" {
				t.Errorf("v1.22 skips %s without a reason", s.ID)
			}
		}
		if !slices.ContainsFunc(skipped, func(s Scenario) bool { return s.ID == "sidecar-order" }) {
			t.Errorf("level %s: v1.22 has no sidecars, but runs their scenarios", level)
		}
		if _, skipped, err := PickIn(all, "v1.37", level); err != nil || len(skipped) > 0 {
			t.Errorf("level %s: v1.37 skips %d scenarios, %v", level, len(skipped), err)
		}
		if _, skipped, err := PickIn(all, "v1.36", level); err != nil || len(skipped) != 1 || !strings.Contains(skipped[0].SkipReason("v1.36"), "broken in this minor: probes") {
			t.Errorf("level %s: v1.36 skips %d scenarios, %v", level, len(skipped), err)
		}
	}
	if _, _, err := PickIn(all, "v1.22", LevelNode, "now", "sidecar-order"); err == nil || !strings.Contains(err.Error(), `"sidecar-order": since v1.29: init containers`) {
		t.Errorf("got %v", err)
	}
	if _, _, err := PickIn(all, "v1.9", LevelNode, "forse"); err == nil || !strings.Contains(err.Error(), "unknown scenario") {
		t.Errorf("got %v", err)
	}
}

func TestStockOfOlderMinors(t *testing.T) {
	s := Scenario{Expect: until("v1.28", "a repair", Broken, keeps(Window))}
	for minor, want := range map[string]Outcome{"v1.9": Broken, "v1.27": Broken, "v1.28": Held, "v1.37": Held, "": Held} {
		if got := s.In(minor).Expect[0]; got.Stock != want || got.Fixed != Held {
			t.Errorf("%q: stock %s, fixed %s, want stock %s", minor, got.Stock, got.Fixed, want)
		}
	}
	if s.Expect[0].Stock != Held {
		t.Error("one minor changed the scenario for the others")
	}
}

// A minor whose stock the contract forbids to follow is not compared with it; every other one is.
func TestUnlike(t *testing.T) {
	s := Scenario{AsStock: true, Unlike: map[string]string{"v1.22": "a reason"}}
	if s.In("v1.22").AsStock || !s.In("v1.35").AsStock {
		t.Errorf("v1.22: %t, v1.35: %t", s.In("v1.22").AsStock, s.In("v1.35").AsStock)
	}
}
