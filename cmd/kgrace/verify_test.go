// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

func TestVerifyPrintsEveryCheck(t *testing.T) {
	good := check{"good", func(context.Context) ([]string, error) { return nil, nil }}
	bad := check{"bad", func(context.Context) ([]string, error) { return []string{"a is not b; write b", "c\nd"}, nil }}
	blind := check{"blind", func(context.Context) ([]string, error) { return nil, errors.New("no network") }}
	for name, tc := range map[string]struct {
		checks []check
		code   int // of the error; -1: none
		said   string
	}{
		"all good":         {[]check{good}, -1, ""},
		"one red":          {[]check{good, bad, blind}, verdict.ExitRed, "FAILED: bad"},
		"one not possible": {[]check{blind, good}, verdict.ExitInvalid, "not run: blind"},
	} {
		t.Run(name, func(t *testing.T) {
			var output, errs bytes.Buffer
			a := &app{output: &output, errs: &errs}
			err := a.verify(t.Context(), tc.checks, "json")
			var coded *exitError
			switch code := verdict.ExitInvalid; {
			case err == nil:
				if tc.code != -1 {
					t.Errorf("no error, want %q", tc.said)
				}
			default:
				if errors.As(err, &coded) {
					code = coded.code
				}
				if code != tc.code || err.Error() != tc.said {
					t.Errorf("got exit code %d, %v; want %d, %s", code, err, tc.code, tc.said)
				}
			}
			var results []checked
			if err := json.Unmarshal(output.Bytes(), &results); err != nil {
				t.Fatal(err)
			}
			if len(results) != len(tc.checks) {
				t.Errorf("%d results for %d checks", len(results), len(tc.checks))
			}
			for _, res := range results {
				if want := map[string]string{"good": "ok", "bad": "FAILED", "blind": "NOT RUN"}[res.Name]; res.Result != want {
					t.Errorf("%s: got %s, want %s", res.Name, res.Result, want)
				}
			}
			if tc.code == verdict.ExitRed && !strings.Contains(errs.String(), "bad: a is not b; write b\nbad: c\n    d\nblind: no network\n") {
				t.Errorf("stderr is\n%s", errs.String())
			}
		})
	}
}

func TestPatchTableFollowsThePatches(t *testing.T) {
	root := t.TempDir()
	r := &kubetree.Repo{Root: root, Versions: &versions.File{Default: "v1.99", Minors: map[string]versions.Minor{"v1.99": {}}}}
	if faults, err := checkPatchTable(t.Context(), r); err != nil || len(faults) != 1 || !strings.Contains(faults[0], "README.md is missing") {
		t.Errorf("no README: got %q, %v", faults, err)
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, "patches", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("v1.99/series", "0001-kubelet-carry-zero.patch\n")
	write("v1.99/0001-kubelet-carry-zero.patch", "From 0 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\nDate: x\nSubject: [PATCH] kubelet: carry zero\n\nWhy.\n\nContract: R4\n---\ndiff --git a/x b/x\n")
	write("README.md", "<!-- begin v1.99 -->\n<!-- end v1.99 -->\n")
	if faults, err := checkPatchTable(t.Context(), r); err != nil || len(faults) != 1 || !strings.Contains(faults[0], "run `kgrace update`") {
		t.Errorf("an old table: got %q, %v", faults, err)
	}
	_, want, err := patchTable(t.Context(), r)
	if err != nil || !strings.Contains(want, "kubelet: carry zero | R4 |") {
		t.Fatalf("got %q, %v", want, err)
	}
	write("README.md", want)
	if faults, err := checkPatchTable(t.Context(), r); err != nil || len(faults) != 0 {
		t.Errorf("the table as it should be: got %q, %v", faults, err)
	}
}

func TestStepsOf(t *testing.T) {
	if steps, err := stepsOf(nil); err != nil || len(steps) != 3 {
		t.Errorf("got %v, %v", steps, err)
	}
	if steps, err := stepsOf([]string{"each"}); err != nil || len(steps) != 1 {
		t.Errorf("got %v, %v", steps, err)
	}
	if _, err := stepsOf([]string{"sotck"}); err == nil || !strings.Contains(err.Error(), "stock") {
		t.Errorf("got %v", err)
	}
}
