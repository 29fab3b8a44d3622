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

	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/verdict"
)

// kept is the directory of histories recorded on real nodes.
const kept = "../../internal/judge/testdata/histories"

func regressed(t *testing.T, args ...string) (code int, output, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), append([]string{"regress"}, args...), &o, &e)
	return code, o.String(), e.String()
}

func TestRegressRefusesUnknownNames(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"force-indirect"}, "known: force-direct, force-while-terminating"},
		{[]string{"--arm", "left"}, "known: stock, fixed"},
		{[]string{"--level", "moon"}, `unknown level "moon"; known: sim, node` + "\n"},
		{[]string{"--level", "kind"}, "level kind is run by `kgrace e2e`; this command knows sim, node"},
		{[]string{"--level", "node", "--runtime", "crio"}, "--runtime is for level sim: a node of level node has a real containerd"},
		{[]string{"--level", "sim", "--runtime", "docker"}, "known: containerd, crio"},
		{[]string{"--kubernetes", "v1.2"}, "v1.37"},
		{[]string{"--kubernetes", "v1.22", "sidecar-order"}, `"sidecar-order": since v1.29: init containers`},
		{[]string{"--kubernetes", "all", "--level", "node"}, "--kubernetes all is for runs at level sim"},
		{[]string{"--kubernetes", "all", "-o", "json"}, "name one of v1.22, v1.35"},
		{[]string{"--judge", kept, "now"}, "name none"},
		{[]string{"--output", "xml"}, "table"},
	} {
		code, output, errs := regressed(t, c.args...)
		if code != verdict.ExitUsage || output != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, %q, %q; want exit %d with %q", c.args, code, output, errs, verdict.ExitUsage, c.want)
		}
	}
}

func TestRegressJudgesKeptHistoriesAgain(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(kept, "*", "*.jsonl"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d histories are kept, %v", len(files), err)
	}
	code, output, errs := regressed(t, "--judge", kept)
	if code != verdict.ExitGood || errs != "" || !strings.HasSuffix(output, "GOOD\n") {
		t.Errorf("exit %d, %q\n%s", code, errs, output)
	}
	code, output, _ = regressed(t, "--judge", kept, "-o", "json")
	var results result.Results
	if err := json.Unmarshal([]byte(output), &results); err != nil || code != verdict.ExitGood || len(results.Results) != len(files) {
		t.Errorf("exit %d, %v, %d results", code, err, len(results.Results))
	}
}

// Stock histories labelled fixed are red, an abandoned run is invalid, and a truncated file is an error with its name and line.
func TestRegressTellsRedFromInvalid(t *testing.T) {
	stock, err := os.ReadFile(filepath.Join(kept, "stock", "force-direct.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		code       int
		want       string
	}{
		{"red", strings.Replace(string(stock), `"arm":"stock"`, `"arm":"fixed"`, 1), verdict.ExitRed, "kgrace: red: force-direct on fixed"},
		{"invalid", strings.Replace(string(stock), `"kind":"harness.finished"`, `"kind":"harness.abandoned","message":"no node"`, 1),
			verdict.ExitInvalid, "kgrace: invalid: force-direct on stock"},
		{"cut short", string(stock[:len(stock)/2]), verdict.ExitInvalid, "force-direct.jsonl:"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "force-direct.jsonl"), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		code, _, errs := regressed(t, "--judge", dir)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit %d, %q; want exit %d with %q", c.name, code, errs, c.code, c.want)
		}
	}
}
