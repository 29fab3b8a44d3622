// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArtifactsAreRefusedByNameAndLine(t *testing.T) {
	for name, c := range map[string]struct {
		file, old, new, want string
	}{
		"half a history":       {"histories/node/fixed/lengthen.jsonl", `"kind":"api.delete","pod`, `"kind":"api.delete"`, "histories/node/fixed/lengthen.jsonl:3: "},
		"a cut history":        {"histories/sim/fixed/lengthen.jsonl", `{"seq":13,`, "", "histories/sim/fixed/lengthen.jsonl:14: "},
		"another's history":    {"histories/node/fixed/lengthen.jsonl", `"scenario":"lengthen"`, `"scenario":"force-direct"`, "histories/node/fixed/lengthen.jsonl:1: history of force-direct on fixed"},
		"half a results file":  {"results-sim.json", `"level": "sim",`, `"level": "sim"`, "results-sim.json:4: not a results file"},
		"a wrong type":         {"results-sim.json", `"seconds": 1.5`, `"seconds": "long"`, "results-sim.json:15: not a results file"},
		"an unknown level":     {"results-sim.json", `"level": "sim"`, `"level": "moon"`, `results-sim.json: not a results file: unknown level "moon"; known: sim, node, kind`},
		"an unknown arm":       {"results-sim.json", `    "stock",`, `    "leg",`, `unknown arm "leg"; known: stock, fixed`},
		"a history that is no": {"results-sim.json", "histories/sim/fixed/lengthen.jsonl", "histories/none.jsonl", "none.jsonl: no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "report", "testdata", "artifacts"))); err != nil {
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
		})
	}
	if _, err := ReadArtifacts(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty directory: %v", err)
	}
}

// TestTheLastRunGivesWay checks that results.json is not shown twice if its level also has a file of its own.
func TestTheLastRunGivesWay(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "report", "testdata", "artifacts"))); err != nil {
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
