//go:build kgrace_sim && !kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/property/draw"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/simkubelet"
)

// stream plays random unhurried scenarios and writes their histories one after the other to the pipe of the command, which
// compares them with those of the other arm.
func stream(t *testing.T, c property.Config) {
	pipe := os.NewFile(property.StreamFD, "histories")
	out := bufio.NewWriterSize(pipe, 1<<20)
	encode := json.NewEncoder(out)
	for _, seed := range c.Seeds() {
		s := draw.Unhurried(id(seed)).Example(seed)
		if err := scenario.Check([]scenario.Scenario{s}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		h := simkubelet.Play{Minor: c.Minor, Arm: c.Arm, Behaviour: c.Behaviour, Scenario: s}.Run(t)
		played := property.Played{Seed: seed, Scenario: property.Words(s), Row: property.Row(s, scenario.Kept, "the arms differ"),
			Why: abandoned(h), History: h}
		for _, rule := range property.UnhurriedRules(s) {
			played.Findings = append(played.Findings, judge.Judge(rule, h, s))
		}
		if err := encode.Encode(played); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := pipe.Close(); err != nil {
		t.Fatal(err)
	}
}
