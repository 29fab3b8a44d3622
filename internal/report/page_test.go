// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

var update = flag.Bool("update", false, "write the golden page anew")

// rows is a small catalogue for the tests, so that a changed text in the real one changes no golden page.
func rowsForTests() []scenario.Scenario {
	stubborn := []scenario.Container{{Name: "main", Stubborn: true}}
	del := func(after time.Duration, grace int64) scenario.Step {
		return scenario.Step{After: after * time.Second, Do: scenario.Delete{Grace: grace}}
	}
	force := func(after time.Duration) scenario.Step {
		return scenario.Step{After: after * time.Second, Do: scenario.Force{}}
	}
	levels := []scenario.Level{scenario.LevelSim, scenario.LevelNode}
	return []scenario.Scenario{{
		ID: "force-while-terminating", Family: "grace", Source: "#113717", Stock: "killed at 30 s, the API object gone at 3 s", Fixed: "killed at 3 s",
		Pod: scenario.Pod{Grace: 30, Containers: stubborn}, Steps: []scenario.Step{del(0, 30), force(3)}, Levels: levels,
	}, {
		ID: "long-grace", Family: "grace", Source: "derived", Stock: "killed after an hour", Fixed: "killed at 10 s",
		Pod: scenario.Pod{Grace: 3600, Containers: stubborn}, Steps: []scenario.Step{del(0, 3600), force(10)}, Levels: levels,
	}, {
		ID: "lengthen", Family: "grace", Source: "#6804", Stock: "killed at 5 s", Fixed: "killed at 5 s",
		Pod: scenario.Pod{Grace: 60, Containers: stubborn}, Steps: []scenario.Step{del(0, 5), del(2, 60)}, Levels: levels,
	}, {
		ID: "hook-exec-shorten", Family: "hook", Source: "containerd/containerd#5021, #127339", Stock: "hook and container live to the old deadline",
		Fixed: "hook cut at 5 s, killed by 7 s",
		Pod: scenario.Pod{Grace: 60, Containers: []scenario.Container{{Name: "main", Stubborn: true,
			Hook: &scenario.Hook{Kind: scenario.HookExec}}}},
		Steps:  []scenario.Step{del(0, 60), del(3, 5)},
		Scaled: map[scenario.Level]scenario.Times{scenario.LevelNode: {Grace: 20, Steps: []scenario.Step{del(0, 20), del(3, 5)}}},
		Levels: levels,
	}, {
		ID: "sidecar-force", Family: "sidecar", Source: "waitForTurn", Stock: "held to the old deadline", Fixed: "all dead at 3 s",
		Pod: scenario.Pod{Grace: 20, Containers: stubborn, Sidecars: []scenario.Container{{Name: "sidecar-1", Stubborn: true},
			{Name: "sidecar-2", Stubborn: true}}},
		Steps: []scenario.Step{del(0, 20), force(3)}, Levels: levels,
	}, {
		ID: "quiet-cancel", Family: "runtime", Source: "derived", Stock: "the same: stock cancels nothing", Fixed: "no FailedKillPod, one Killing event",
		Apart: "the row shortens the grace; its rule asks for something else",
		Pod:   scenario.Pod{Grace: 60, Containers: stubborn}, Steps: []scenario.Step{del(0, 60), del(3, 5)},
		Levels: levels, Not: map[scenario.Level]string{scenario.LevelKind: "not for this test"},
	}}
}

func render(t *testing.T, runs []result.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := writePage(&b, runs, rowsForTests(), siteOf(filepath.Join("testdata", "artifacts", result.PageFile))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func kept(t *testing.T) []result.Run {
	t.Helper()
	runs, err := result.ReadArtifacts(filepath.Join("testdata", "artifacts"))
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// TestPageIsGolden renders two levels side by side, with recorded histories of a real node and constructed ones in virtual
// time, and with faults of a run: a regression, a scenario that never ran, a missing result.
func TestPageIsGolden(t *testing.T) {
	runs := kept(t)
	got := render(t, runs)
	if again := render(t, runs); again != got {
		t.Error("the same runs gave two pages")
	}
	golden := filepath.Join("testdata", "golden.html")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("not the golden page; to update it, run go test ./internal/report -run Golden -update and review the page (-want +got)\n%s", diff)
	}
}

// TestPageEscapes checks that text from a container or a cluster never becomes markup.
func TestPageEscapes(t *testing.T) {
	const bad = `"><script>alert(1)</script><a href='javascript:x'>`
	runs := kept(t)
	run := &runs[1]
	h := run.Histories[result.Key{Scenario: "lengthen", Arm: verdict.Fixed}]
	h.Versions = map[string]string{"kubelet": bad, bad: bad}
	start := h.Select(history.APIDelete)[0].At
	code := int32(1)
	for i, kind := range []history.Kind{history.Line, history.KubeletEvent, history.CRICall, history.ContainerExit, history.Abandoned} {
		call := "StopContainer"
		h.Events = append(h.Events, history.Event{At: start.Add(time.Duration(i) * time.Second), Kind: kind, Pod: bad, Container: bad,
			Reason: bad, Message: bad, Error: bad, Call: call, ExitCode: &code})
	}
	run.Histories[result.Key{Scenario: "lengthen", Arm: verdict.Fixed}] = h
	run.Name, run.Minor = "node"+bad, bad
	run.Results.Results[0].Rules[0].Why = bad
	page := render(t, runs)
	for _, raw := range []string{"<script", "<a href='java", `"javascript`} {
		if strings.Contains(page, raw) {
			at := strings.Index(page, raw)
			t.Errorf("%q is in the page: …%s…", raw, page[max(0, at-80):at+80])
		}
	}
	if !strings.Contains(page, "&lt;script&gt;alert(1)") {
		t.Error("the page does not show the text")
	}
}

func TestPageNeedsNoNetwork(t *testing.T) {
	page := render(t, kept(t))
	for _, loads := range []string{"<script", "<img", "<iframe", "<object", "@import", "url(http", "src=", `rel="stylesheet"`} {
		if strings.Contains(page, loads) {
			t.Errorf("the page holds %q", loads)
		}
	}
}

func TestPageRefusesWhatTheCatalogueHasNot(t *testing.T) {
	err := writePage(&bytes.Buffer{}, []result.Run{{Name: "node", Results: result.Results{Scenarios: []string{"nonsense"}}}}, rowsForTests(), site{})
	if err == nil || !strings.Contains(err.Error(), `unknown scenario "nonsense"; known: force-while-terminating, hook-exec-shorten`) {
		t.Errorf("got %v", err)
	}
	if err := writePage(&bytes.Buffer{}, nil, rowsForTests(), site{}); err == nil {
		t.Error("a page without a run was written")
	}
}

func TestBlockSaysWhoWasLate(t *testing.T) {
	late := result.Result{Scenario: "a", Arm: verdict.Fixed, Rules: []result.Rule{{Finding: judge.Finding{RuntimeLate: 1.94}, Verdict: verdict.Repaired}}}
	second := result.Result{Scenario: "b", Arm: verdict.Fixed, Second: "R2: late by 2.3 s"}
	run := result.Run{Results: result.Results{Arms: []verdict.Arm{verdict.Fixed}, Results: []result.Result{late, second}}}
	a, b := newBlock(scenario.Scenario{ID: "a"}, run, "node", site{}).Arms[0], newBlock(scenario.Scenario{ID: "b"}, run, "node", site{}).Arms[0]
	if a.Late != "runtime late by 1.9 s" || a.Second != "" || b.Late != "" || !strings.Contains(b.Second, "R2: late by 2.3 s") {
		t.Errorf("the page says %q %q, %q %q", a.Late, a.Second, b.Late, b.Second)
	}
}

func TestRowSaysWhatTheMinorSkips(t *testing.T) {
	catalogue, err := scenario.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	_, skipped, err := scenario.PickIn(catalogue, "v1.22", scenario.LevelNode)
	if err != nil {
		t.Fatal(err)
	}
	run := result.Run{Results: result.Results{Minor: "v1.22", Level: scenario.LevelNode, Arms: verdict.Arms()}}
	if got := matrixRow(skipped[0], []result.Run{run}).Cells[0].Not; !strings.HasPrefix(got, "not in v1.22: since v1.") {
		t.Errorf("the page says %q", got)
	}
}
