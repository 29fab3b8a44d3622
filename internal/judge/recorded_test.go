// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// recorded reads the history of a scenario that was recorded on a real node.
func recorded(t *testing.T, arm verdict.Arm, id string) history.History {
	t.Helper()
	return readRecorded(t, filepath.Join("histories", string(arm), id+".jsonl"))
}

func readRecorded(t *testing.T, file string) history.History {
	t.Helper()
	h, err := history.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatalf("%v; record it: make record SCENARIO=%s", err, strings.TrimSuffix(filepath.Base(file), ".jsonl"))
	}
	return h
}

// onNodes are the scenarios that run on real nodes; each has recorded histories.
func onNodes(t *testing.T) []scenario.Scenario {
	t.Helper()
	all, err := scenario.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	node, err := scenario.Pick(all, scenario.LevelNode)
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// Histories recorded on real nodes: each arm behaves as the catalogue says. A history labelled as the other arm's passes no
// repaired rule, so the judges distinguish the two kubelets.
func TestRecordedHistories(t *testing.T) {
	for _, s := range onNodes(t) {
		for _, arm := range verdict.Arms() {
			h := recorded(t, arm, s.ID)
			other := verdict.Fixed
			if arm == other {
				other = verdict.Stock
			}
			for _, want := range s.At(scenario.LevelNode).Expect {
				found := Judge(want.Rule, h, s)
				if v := want.Verdict(arm, found.Outcome); !v.Good() {
					t.Errorf("%s on %s: %s %s: %s", s.ID, arm, want.Rule, v, found.Why)
				}
				if v := want.Verdict(other, found.Outcome); want.Stock == scenario.Broken && !v.Red() {
					t.Errorf("%s on %s, taken for %s: %s %s: %s", s.ID, arm, other, want.Rule, v, found.Why)
				}
			}
		}
	}
}

// Histories recorded on a kubelet with the naive fix: stock, with only the worker's context passed to the terminating sync. It
// kills sooner than stock, and breaks what a plain cancel breaks, much of which stock holds.
func TestNaiveFixIsCaught(t *testing.T) {
	for id, rules := range map[string][]scenario.Rule{
		"shorten-late":               {scenario.Deadline, scenario.OnlyShorter}, // killed at 38 s
		"shorten-thrice":             {scenario.ShorterActs, scenario.RuntimeCalls},
		"hook-exec-shorten":          {scenario.ShorterActs, scenario.HookOnce, scenario.Prompt},
		"hook-http-shorten":          {scenario.HookOnce, scenario.Prompt, scenario.NoLeftovers},
		"hook-done-not-repeated":     {scenario.HookOnce},
		"hook-running-not-restarted": {scenario.HookOnce},
		"sandbox-order":              {scenario.RuntimeCalls},
		"quiet-cancel":               {scenario.Quiet},
	} {
		h := readRecorded(t, filepath.Join("naive", id+".jsonl"))
		for _, rule := range rules {
			if found := Judge(rule, h, row(t, id)); found.Outcome != scenario.Broken {
				t.Errorf("%s: %s %s: %s", id, rule, found.Outcome, found.Why)
			}
		}
	}
}
