// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/verdict"
)

func TestReportOfHistories(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "page.html")
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"report", kept, "--file", file}, &out, &errs); code != verdict.ExitGood {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	if got := strings.TrimSpace(out.String()); got != file {
		t.Errorf("printed %q, want the path %q", got, file)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`id="force-while-terminating-node"`, "StopContainer(0)", "deadline: now", "<strong>good</strong>"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

func TestReportRefuses(t *testing.T) {
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "results-node.json"), []byte("{\n\"minor\": 1\n}"), 0o644); err != nil {
		t.Fatal(err)
	}
	cut := t.TempDir()
	if err := os.WriteFile(filepath.Join(cut, "x.jsonl"), []byte("{\"history\":1}\n{\"seq\":1,\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"an empty directory": {[]string{"report", t.TempDir()}, verdict.ExitInvalid, "holds no results.json or results-*.json"},
		"a broken result":    {[]string{"report", broken}, verdict.ExitInvalid, "results-node.json:2: not a results file"},
		"a broken history":   {[]string{"report", cut}, verdict.ExitInvalid, "x.jsonl:2: not a history"},
		"no directory":       {[]string{"report", filepath.Join(broken, "none")}, verdict.ExitInvalid, "holds no results.json"},
		"two directories":    {[]string{"report", broken, cut}, verdict.ExitUsage, "accepts at most 1 arg"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if code := run(t.Context(), c.args, &out, &errs); code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
			if !strings.Contains(errs.String(), c.want) {
				t.Errorf("printed %q, want %q", errs.String(), c.want)
			}
			if out.Len() > 0 {
				t.Errorf("printed %q", out.String())
			}
		})
	}
}
