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

package report

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

var update = flag.Bool("update", false, "write the golden page anew")

// rows is a small catalogue of the tests' own, so that a new word in the real one changes no golden page.
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
		ID: "force-while-terminating", Source: "#113717", Stock: "killed at 30 s, the API object gone at 3 s", Fixed: "killed at 3 s",
		Pod: scenario.Pod{Grace: 30, Containers: stubborn}, Steps: []scenario.Step{del(0, 30), force(3)}, Levels: levels,
	}, {
		ID: "long-grace", Source: "derived", Stock: "killed after an hour", Fixed: "killed at 10 s",
		Pod: scenario.Pod{Grace: 3600, Containers: stubborn}, Steps: []scenario.Step{del(0, 3600), force(10)}, Levels: levels,
	}, {
		ID: "lengthen", Source: "#6804", Stock: "killed at 5 s", Fixed: "killed at 5 s",
		Pod: scenario.Pod{Grace: 60, Containers: stubborn}, Steps: []scenario.Step{del(0, 5), del(2, 60)}, Levels: levels,
	}, {
		ID: "hook-exec-shorten", Source: "containerd/containerd#5021, #127339", Stock: "hook and container live to the old deadline",
		Fixed: "hook cut at 5 s, killed by 7 s",
		Pod: scenario.Pod{Grace: 60, Containers: []scenario.Container{{Name: "main", Stubborn: true,
			Hook: &scenario.Hook{Kind: scenario.HookExec}}}},
		Steps:  []scenario.Step{del(0, 60), del(3, 5)},
		Scaled: map[scenario.Level]scenario.Times{scenario.LevelNode: {Grace: 20, Steps: []scenario.Step{del(0, 20), del(3, 5)}}},
		Levels: levels,
	}, {
		ID: "sidecar-force", Source: "waitForTurn", Stock: "held to the old deadline", Fixed: "all dead at 3 s",
		Pod: scenario.Pod{Grace: 20, Containers: stubborn, Sidecars: []scenario.Container{{Name: "sidecar-1", Stubborn: true},
			{Name: "sidecar-2", Stubborn: true}}},
		Steps: []scenario.Step{del(0, 20), force(3)}, Levels: levels,
	}}
}

func render(t *testing.T, runs []Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := Page(&b, runs, rowsForTests()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func kept(t *testing.T) []Run {
	t.Helper()
	runs, err := ReadArtifacts(filepath.Join("testdata", "artifacts"))
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// TestPageIsGolden: two levels side by side, recorded histories of a real node and made ones in virtual time, with what goes
// wrong in a run: a regression, a scenario that never ran, a result that is missing.
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
		t.Errorf("not the golden page; if it shall change: go test ./internal/report -run Golden -update, and look at it (-want +got)\n%s", diff)
	}
}

// TestPageEscapes: a history is what a container and a cluster say, and none of it becomes markup.
func TestPageEscapes(t *testing.T) {
	const bad = `"><script>alert(1)</script><a href='javascript:x'>`
	runs := kept(t)
	run := &runs[1]
	h := run.Histories[Key{"lengthen", verdict.Fixed}]
	h.Versions = map[string]string{"kubelet": bad, bad: bad}
	start := h.Select(history.APIDelete)[0].At
	code := int32(1)
	for i, kind := range []history.Kind{history.Line, history.KubeletEvent, history.CRICall, history.ContainerExit, history.Abandoned} {
		call := "StopContainer"
		h.Events = append(h.Events, history.Event{At: start.Add(time.Duration(i) * time.Second), Kind: kind, Pod: bad, Container: bad,
			Reason: bad, Message: bad, Error: bad, Call: call, ExitCode: &code})
	}
	run.Histories[Key{"lengthen", verdict.Fixed}] = h
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
		t.Error("the page does not show what was said")
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
	err := Page(&bytes.Buffer{}, []Run{{Name: "node", Results: Results{Scenarios: []string{"nonsense"}}}}, rowsForTests())
	if err == nil || !strings.Contains(err.Error(), `unknown scenario "nonsense"; known: force-while-terminating, hook-exec-shorten`) {
		t.Errorf("got %v", err)
	}
	if err := Page(&bytes.Buffer{}, nil, rowsForTests()); err == nil {
		t.Error("a page of nothing")
	}
}

func TestArtifactsAreRefusedByNameAndLine(t *testing.T) {
	for name, c := range map[string]struct {
		file, old, new, want string
	}{
		"half a history":       {"histories/node/fixed/lengthen.jsonl", `"kind":"api.delete","pod`, `"kind":"api.delete"`, "histories/node/fixed/lengthen.jsonl:3: "},
		"a cut history":        {"histories/sim/fixed/lengthen.jsonl", `{"seq":13,`, "", "histories/sim/fixed/lengthen.jsonl:14: "},
		"another's history":    {"histories/node/fixed/lengthen.jsonl", `"scenario":"lengthen"`, `"scenario":"force-direct"`, "histories/node/fixed/lengthen.jsonl:1: a history of force-direct on fixed"},
		"half a results file":  {"results-sim.json", `"level": "sim",`, `"level": "sim"`, "results-sim.json:4: not a results file"},
		"a wrong type":         {"results-sim.json", `"seconds": 1.5`, `"seconds": "long"`, "results-sim.json:14: not a results file"},
		"an unknown level":     {"results-sim.json", `"level": "sim"`, `"level": "moon"`, `results-sim.json: not a results file: unknown level "moon"; known: sim, node, kind`},
		"an unknown arm":       {"results-sim.json", `    "stock",`, `    "leg",`, `unknown arm "leg"; known: stock, fixed`},
		"a history that is no": {"results-sim.json", "histories/sim/fixed/lengthen.jsonl", "histories/none.jsonl", "none.jsonl: no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "artifacts"))); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, filepath.FromSlash(c.file))
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(data), c.old) {
				t.Fatalf("%s has no %q", c.file, c.old)
			}
			if err := os.WriteFile(path, []byte(strings.Replace(string(data), c.old, c.new, 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadArtifacts(dir); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if _, err := os.Stat(filepath.Join(dir, PageFile)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a page was written: %v", err)
			}
		})
	}
	if _, err := ReadArtifacts(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestTheLastRunGivesWay: results.json of a level that is also kept under its own name is not shown twice.
func TestTheLastRunGivesWay(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "artifacts"))); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "results-sim.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"results.json", "results-sim-crio.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	runs, err := ReadArtifacts(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, run := range runs {
		names = append(names, run.Name)
	}
	if diff := cmp.Diff([]string{"sim", "sim-crio", "node"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestLeadIsTheWorst(t *testing.T) {
	for want, all := range map[verdict.Verdict][]verdict.Verdict{
		verdict.Kept:       {verdict.Kept},
		verdict.Repaired:   {verdict.Kept, verdict.Repaired},
		verdict.Invalid:    {verdict.Repaired, verdict.Invalid},
		verdict.Regressed:  {verdict.Repaired, verdict.Regressed, verdict.Invalid},
		verdict.Reproduced: {verdict.Kept, verdict.Reproduced},
	} {
		var r Result
		for _, v := range all {
			r.Rules = append(r.Rules, RuleResult{Verdict: v})
		}
		if got := r.lead(); got != want {
			t.Errorf("%v: got %s, want %s", all, got, want)
		}
	}
	if got := (Result{}).lead(); got != verdict.Invalid {
		t.Errorf("no rule: %s", got)
	}
}
