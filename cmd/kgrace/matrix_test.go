// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/matrix"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestMatrixCommandLine(t *testing.T) {
	t.Setenv(kubetree.OutputVar, t.TempDir())
	t.Setenv(ArtifactsVar, t.TempDir())
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"a column":        {[]string{"--column", "build"}, verdict.ExitUsage, `unknown column "build"; known: applies, builds, upstream, without, with, scenarios`},
		"a patch":         {[]string{"--patch", "one"}, verdict.ExitUsage, "--patch one: want the number of a patch in its series, from 1"},
		"a patch too far": {[]string{"--patch", "99"}, verdict.ExitUsage, "no series has a patch 99"},
		"a minor":         {[]string{"--kubernetes", "v1.1"}, verdict.ExitUsage, `unknown Kubernetes minor "v1.1"`},
		"a format":        {[]string{"--output", "xml"}, verdict.ExitUsage, "want table, markdown or json"},
		"both":            {[]string{"--kept", "--fresh"}, verdict.ExitUsage, "exclude each other"},
		"an argument":     {[]string{"all"}, verdict.ExitUsage, "unknown command"},
		"the default's":   {[]string{"--kubernetes", "default", "--patch", "1", "--kept"}, verdict.ExitInvalid, "the matrix is incomplete"},
		"nothing kept":    {[]string{"--kept"}, verdict.ExitInvalid, "the matrix is incomplete"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if code := run(t.Context(), append([]string{"matrix"}, c.args...), &out, &errs); code != c.code || !strings.Contains(errs.String(), c.want) {
				t.Errorf("exit code %d, want %d with %q; output\n%s", code, c.code, c.want, errs.String())
			}
		})
	}
}

// TestMatrixOfNothing checks a matrix without kept cells: all formats report every cell as not run, and no tree is laid out.
func TestMatrixOfNothing(t *testing.T) {
	output, dir := t.TempDir(), t.TempDir()
	t.Setenv(kubetree.OutputVar, output)
	t.Setenv(ArtifactsVar, dir)
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"matrix", "--kept", "-o", "json"}, &out, &errs); code != verdict.ExitInvalid {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	var table matrix.Table
	if err := json.Unmarshal(out.Bytes(), &table); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, n := range table.Cells() {
		total += n
	}
	if total == 0 || table.Cells()[matrix.NotRun] != total || table.Minors[0].Minor != "v1.37" {
		t.Errorf("got %v", table.Cells())
	}
	for _, name := range []string{"matrix.json", "matrix.md", "matrix.html"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(output, "trees")); !os.IsNotExist(err) {
		t.Errorf("a tree was laid out: %v", err)
	}
}

// TestJudgeMatrix checks the exit code of each outcome.
func TestJudgeMatrix(t *testing.T) {
	for name, c := range map[string]struct {
		outcome matrix.Outcome
		code    int
		says    string
	}{
		"good":        {matrix.Outcome{Wanted: 36}, verdict.ExitGood, ""},
		"drop":        {matrix.Outcome{Wanted: 36, Drop: []string{"v1.38 patch 3"}}, verdict.ExitGood, "!!! DROP THE PATCH: v1.38 patch 3"},
		"red":         {matrix.Outcome{Wanted: 36, Red: []string{"v1.38 patch 3"}}, verdict.ExitRed, ""},
		"red and not": {matrix.Outcome{Wanted: 36, Red: []string{"a"}, NotRun: []string{"b"}}, verdict.ExitRed, ""},
		"not whole":   {matrix.Outcome{Wanted: 36, NotRun: []string{"b"}}, verdict.ExitInvalid, ""},
		"nothing":     {matrix.Outcome{}, verdict.ExitInvalid, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var errs bytes.Buffer
			err := judgeMatrix(&app{errs: &errs}, c.outcome)
			code := verdict.ExitGood
			if err != nil {
				code = verdict.ExitInvalid
				if coded, ok := err.(*exitError); ok {
					code = coded.code
				}
			}
			if code != c.code || !strings.Contains(errs.String(), c.says) {
				t.Errorf("code %d, want %d; %v; output %q", code, c.code, err, errs.String())
			}
		})
	}
}
