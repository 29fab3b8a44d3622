// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package property

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestShardsPlayEverySeedOnce(t *testing.T) {
	seen := map[int]int{}
	for shard := range 3 {
		for _, seed := range (Config{Seed: 10, Count: 20, Shard: shard, Shards: 3}).Seeds() {
			seen[seed]++
		}
	}
	for seed := 10; seed < 30; seed++ {
		if seen[seed] != 1 {
			t.Errorf("seed %d is played %d times", seed, seen[seed])
		}
	}
	if len(seen) != 20 {
		t.Errorf("%d seeds, want 20", len(seen))
	}
}

func TestMergeAndGood(t *testing.T) {
	one := Results{Arm: verdict.Stock, Histories: 2, Seconds: 3, Rules: map[scenario.Rule]Tally{"R1": {Held: 1, Broken: 1}},
		Broken: []Found{{Rule: "R9", Seed: 4}, {Rule: "R1", Seed: 1}}}
	two := Results{Arm: verdict.Stock, Histories: 3, Seconds: 2, Rules: map[scenario.Rule]Tally{"R1": {Held: 2, Invalid: 1}},
		Broken: []Found{{Rule: "R1", Seed: 2}}}
	all := Merge(one, two)
	want := Results{Arm: verdict.Stock, Histories: 5, Seconds: 3, Rules: map[scenario.Rule]Tally{"R1": {3, 1, 1}},
		Broken: []Found{{Rule: "R1", Seed: 1}, {Rule: "R9", Seed: 4}}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
	if err := all.Good(); err != nil {
		t.Errorf("stock broke a rule, as it must: %v", err)
	}
	for _, bad := range []struct {
		says   string
		change func(*Results)
	}{
		{"detect nothing", func(r *Results) { r.Broken = nil }},
		{"fixed broke R1", func(r *Results) { r.Arm = verdict.Fixed }},
		{"nothing was judged", func(r *Results) { r.Rules = nil }},
		{"could not be played", func(r *Results) { r.Unplayed = []Found{{Seed: 1}} }},
	} {
		r := all
		bad.change(&r)
		if err := r.Good(); err == nil || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("got %v, want %q", err, bad.says)
		}
	}
	path := filepath.Join(t.TempDir(), "deep", "results.json")
	if err := all.Write(path); err != nil {
		t.Fatal(err)
	}
	back, err := ReadResults(path)
	if err != nil || !cmp.Equal(all, back) {
		t.Errorf("%v: %s", err, cmp.Diff(all, back))
	}
}
