// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package draw

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Every scenario passes the catalogue's checks, and a seed always gives the same one.
func TestScenariosAreWhole(t *testing.T) {
	shortened, forced, hooked, sidecars, faulty, evicted := 0, 0, 0, 0, 0, 0
	for seed := 1; seed <= 2000; seed++ {
		s := Scenarios("random").Example(seed)
		if err := scenario.Check([]scenario.Scenario{s}); err != nil {
			t.Fatalf("seed %d: %s: %v", seed, property.Words(s), err)
		}
		if again := Scenarios("random").Example(seed); !cmp.Equal(s, again) {
			t.Fatalf("seed %d gives two scenarios: %s", seed, cmp.Diff(s, again))
		}
		count := func(n *int, ok bool) {
			if ok {
				*n++
			}
		}
		count(&shortened, property.Shortens(s))
		count(&sidecars, len(s.Pod.Sidecars) > 0)
		count(&hooked, s.Pod.Containers[0].Hook != nil)
		count(&faulty, len(s.Faults) > 0)
		for _, step := range s.Steps {
			_, force := step.Do.(scenario.Force)
			_, evict := step.Do.(scenario.Evict)
			count(&forced, force)
			count(&evicted, evict)
		}
	}
	for name, n := range map[string]int{"shortened": shortened, "forced": forced, "hooked": hooked, "sidecars": sidecars, "faulty": faulty, "evicted": evicted} {
		if n < 200 {
			t.Errorf("only %d of 2000 scenarios are %s", n, name)
		}
	}
}

// Shrinking a seed starts with the scenario that was played.
func TestDrawIsExample(t *testing.T) {
	want := Scenarios("random").Example(7)
	rapid.Check(t, func(rt *rapid.T) {
		_ = Scenarios("random").Draw(rt, "scenario")
	})
	if got := Scenarios("random").Example(7); !cmp.Equal(want, got) {
		t.Error(cmp.Diff(want, got))
	}
}
