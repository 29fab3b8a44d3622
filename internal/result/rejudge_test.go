// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

const recorded = "../judge/testdata/histories"

func catalogue(t *testing.T) []scenario.Scenario {
	t.Helper()
	all, err := scenario.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRejudgeKeptHistories(t *testing.T) {
	results, err := Rejudge(filepath.Join(recorded, "stock"), catalogue(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	if results.Status() != verdict.StatusGood || len(results.Scenarios) < 20 || !slices.Equal(results.Arms, []verdict.Arm{verdict.Stock}) {
		var b strings.Builder
		_ = results.Table(&b)
		t.Errorf("status %s\n%s", results.Status(), b.String())
	}
}

func TestRejudgeRefuses(t *testing.T) {
	good, err := os.ReadFile(filepath.Join(recorded, "stock", "now.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"nothing":          {nil, "holds no history"},
		"a broken line":    {map[string]string{"now.jsonl": strings.Replace(string(good), `"seq":3,`, `"seq":`, 1)}, "now.jsonl:4: "},
		"a lost line":      {map[string]string{"now.jsonl": string(good[:bytes.LastIndexByte(good[:len(good)-1], '\n')+1])}, "now.jsonl:"},
		"unknown scenario": {map[string]string{"a.jsonl": strings.Replace(string(good), `"scenario":"now"`, `"scenario":"then"`, 1)}, `a.jsonl: unknown scenario "then"`},
		"unknown arm":      {map[string]string{"a.jsonl": strings.Replace(string(good), `"arm":"stock"`, `"arm":"left"`, 1)}, `unknown arm "left"; known: stock, fixed`},
		"unknown level":    {map[string]string{"a.jsonl": strings.Replace(string(good), `"level":"node"`, `"level":"moon"`, 1)}, `unknown level "moon"; known: sim, node, kind`},
		"twice":            {map[string]string{"a.jsonl": string(good), "b.jsonl": string(good)}, "both histories of now on stock"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range c.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := Rejudge(dir, catalogue(t), nil); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if _, err := Rejudge(filepath.Join(t.TempDir(), "none"), catalogue(t), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}
