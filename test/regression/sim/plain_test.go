//go:build kgrace_sim && kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/simkubelet"
	"github.com/kgrace/kgrace/internal/verdict"
)

// TestSim is the suite without Ginkgo, which needs newer libraries than the kubelet of v1.22 can be compiled with. It plays the
// same scenarios in a random but fixed order, with the same judges and the same results file. It does not write JUnit and
// Ginkgo's JSON.
func TestSim(t *testing.T) {
	path, asked := os.LookupEnv(simkubelet.ConfigVar)
	if !asked {
		t.Skipf("%s is not set: this suite is run by `kgrace regress --level sim`", simkubelet.ConfigVar)
	}
	config, rows, err := simkubelet.ReadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	quiet(t, config)
	results := result.Results{Minor: config.Minor, Level: scenario.LevelSim, Arms: []verdict.Arm{config.Arm}, Scenarios: scenario.IDs(rows)}
	rand.New(rand.NewPCG(1, 0)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	begin := time.Now()
	for _, s := range rows {
		h := simkubelet.Play{Minor: config.Minor, Arm: config.Arm, Behaviour: config.Behaviour, Scenario: s}.Run(t)
		result := result.Of(h, s)
		result.History = config.History(s.ID)
		if err := history.WriteFile(filepath.Join(config.Artifacts, result.History), h); err != nil {
			t.Fatal(err)
		}
		results.Results = append(results.Results, result)
		if result.Good() {
			continue
		}
		var notes []string
		for _, rule := range result.Rules {
			if !rule.Verdict.Good() {
				notes = append(notes, result.Note(rule))
			}
		}
		t.Errorf("%s:\n%s\n%s", s.ID, strings.Join(notes, "\n"), h.Timeline())
	}
	results.Seconds = time.Since(begin).Seconds()
	if err := results.Write(filepath.Join(config.Artifacts, config.File("results", "json"))); err != nil {
		t.Fatal(err)
	}
}

// forced is the deletion timestamp of a force 3 s after a delete, relative to the delete: up to v1.32 it lies in the past.
const forced = 0

// passed is the write of a delete with grace 10, 30 s after one with grace 60: up to v1.32 its timestamp lies in the past.
var passed = write{"MODIFIED", 10, 10 * time.Second}
