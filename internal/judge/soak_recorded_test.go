// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Histories that a soak recorded on a busy node, of pods that a generator had drawn. The judge of R7 called three of them red: one hook
// ended by itself shortly before the deadline, one reported its start only after its container had been asked to stop, and one was
// recorded so late that its container seemed to be asked to stop before the deadline. That of R1 called the fourth red: the API server,
// which was restarted, stored a grace of 1 for a delete with 8, and showed the delete before only after that one had been sent.
func TestSoakHistories(t *testing.T) {
	exec := func(c scenario.Container, takes time.Duration, fails bool) scenario.Container {
		c.Hook = &scenario.Hook{Kind: scenario.HookExec, Takes: takes, Fails: fails}
		return c
	}
	many := scenario.Scenario{ID: "soak-54-5", Pod: scenario.Pod{Grace: 37, Containers: []scenario.Container{{Name: "main", Stubborn: true}}}}
	for _, grace := range []int64{37, 34, 33, 30, 27, 26, 23, 21, 20, 18, 17, 14, 11, 10, 8} {
		many.Steps = append(many.Steps, scenario.Step{Do: scenario.Delete{Grace: grace}})
	}
	for _, c := range []struct {
		rule   scenario.Rule
		file   string
		s      scenario.Scenario
		spoils func(history.Event) bool
	}{
		{scenario.HookOnce, "hook-ends-near", scenario.Scenario{ID: "soak-7-0", Pod: scenario.Pod{Grace: 5, Containers: []scenario.Container{
			exec(scenario.Container{Name: "main", ExitAfter: 1285 * time.Millisecond}, 4273333333, false), {Name: "second", Stubborn: true}}},
			Steps: []scenario.Step{{Do: scenario.Delete{Grace: 6}}}},
			func(e history.Event) bool { return e.Reason == "HOOK-END" }},
		{scenario.HookOnce, "hook-forced-early", scenario.Scenario{ID: "soak-10-2", Pod: scenario.Pod{Grace: 5, Containers: []scenario.Container{
			exec(scenario.Container{Name: "main", Stubborn: true}, 773333333, true), {Name: "second", ExitAfter: 2535 * time.Millisecond}}},
			Steps: []scenario.Step{{Do: scenario.Delete{Grace: 12}}, {After: 1820 * time.Millisecond, Do: scenario.Force{}}}},
			func(e history.Event) bool { return e.Call == "StopContainer" && e.Container == "main" }},
		{scenario.HookOnce, "hook-fails-near", scenario.Scenario{ID: "soak-2-11", Pod: scenario.Pod{Grace: 4, Containers: []scenario.Container{{Name: "main", ExitAfter: 1535 * time.Millisecond}},
			Sidecars: []scenario.Container{exec(scenario.Container{Name: "sidecar-1", ExitAfter: 785 * time.Millisecond}, 4023333333, true)}},
			Steps: []scenario.Step{{Do: scenario.Delete{Grace: 4}}, {After: 320 * time.Millisecond, Do: scenario.Delete{Grace: 6}}}},
			func(e history.Event) bool {
				return e.Call == "ExecSync" && e.Kind == history.CRIReturn || e.Reason == "HOOK-END"
			}},
		{scenario.Deadline, "delete-shown-late", many, func(e history.Event) bool {
			return e.Kind == history.APIPod && e.Grace != nil && *e.Grace == 1
		}},
	} {
		h := readRecorded(t, filepath.Join("soak", c.file+".jsonl"))
		if found := Judge(c.rule, h, c.s); found.Outcome != scenario.Held {
			t.Errorf("%s: %s: %s", c.file, found.Outcome, found.Why)
		}
		h.Events = slices.DeleteFunc(slices.Clone(h.Events), c.spoils)
		if found := Judge(c.rule, h, c.s); found.Outcome != scenario.Broken || !strings.Contains(found.Why, "container") {
			t.Errorf("%s, broken on purpose: %s: %s", c.file, found.Outcome, found.Why)
		}
	}
}
