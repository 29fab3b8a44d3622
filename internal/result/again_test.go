// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestAgain(t *testing.T) {
	crio := map[Key]history.History{{"a", verdict.Fixed}: {Header: history.Header{Versions: map[string]string{"runtime": "sim crio"}}}}
	for want, c := range map[string]struct {
		run Run
		s   scenario.Scenario
	}{
		"kgrace regress --level node --kubernetes v1.36 --arm fixed a":               {Run{Results: Results{Level: scenario.LevelNode, Minor: "v1.36"}}, scenario.Scenario{ID: "a", AsStock: true}},
		"kgrace regress --level sim --kubernetes v1.37 --runtime crio --arm fixed a": {Run{Results: Results{Level: scenario.LevelSim, Minor: "v1.37"}, Histories: crio}, scenario.Scenario{ID: "a"}},
		"kgrace regress --level sim a":                                               {Run{Results: Results{Level: scenario.LevelSim}}, scenario.Scenario{ID: "a", AsStock: true}},
		"kgrace e2e --kubernetes v1.37 --arm fixed a":                                {Run{Results: Results{Level: scenario.LevelKind, Minor: "v1.37"}}, scenario.Scenario{ID: "a"}},
	} {
		if got := c.run.Again(c.s, verdict.Fixed); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestLogOfTheKubelet(t *testing.T) {
	dir := t.TempDir()
	files := map[scenario.Level]string{
		scenario.LevelSim:  "kubelet-sim-containerd-fixed.log",
		scenario.LevelNode: "logs/node/fixed/kubelet.log",
		scenario.LevelKind: "logs/kind/fixed/kgrace-e2e-fixed-worker/kubelet.log",
	}
	for level, name := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		run := Run{Dir: dir, Results: Results{Level: level}}
		if got := run.Log(verdict.Fixed); got != "" {
			t.Errorf("%s: %q before there is a log", level, got)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := run.Log(verdict.Fixed); got != file {
			t.Errorf("%s: %q, want %q", level, got, file)
		}
		if got := run.Log(verdict.Stock); got != "" {
			t.Errorf("%s: %q is the other arm's", level, got)
		}
	}
}

func TestJoinedKeepsWhatPartsHaveInCommon(t *testing.T) {
	at := time.Date(2026, 11, 29, 17, 0, 0, 0, time.UTC)
	got := Joined(nil, &Origin{Began: at.Add(time.Minute), Machine: "small", Commit: "abc", Go: "go1.26"}, &Origin{Began: at, Machine: "large", Commit: "abd", Go: "go1.26"},
		&Origin{Began: at.Add(time.Hour), Machine: "small", Commit: "abc", Go: "go1.26"})
	want := &Origin{Began: at, Machine: "small; large", Go: "go1.26"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if Joined(nil, nil) != nil {
		t.Error("no part has an origin, but the whole has")
	}
}
