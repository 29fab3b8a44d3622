// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestE2ERefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"force-indirect"}, "known: force-direct, force-while-terminating"},
		{[]string{"stop-hangs"}, `unknown scenario "stop-hangs" at level kind`},
		{[]string{"--arm", "left"}, "known: stock, fixed"},
		{[]string{"--smoke", "drain-force"}, "name none"},
		{[]string{"--kubernetes", "v1.2"}, "v1.37"},
		{[]string{"--output", "xml"}, "table"},
	} {
		code, output, errs := kgrace(t.Context(), append([]string{"e2e"}, c.args...)...)
		if code != verdict.ExitUsage || output != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, %q, %q; want exit %d with %q", c.args, code, output, errs, verdict.ExitUsage, c.want)
		}
	}
}

// Without an engine the error names the way to get one, and nothing is built first.
func TestE2EWithoutAnEngine(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(RootVar, checkout(t))
	code, output, errs := kgrace(t.Context(), "e2e")
	if code != verdict.ExitInvalid || output != "" || !strings.Contains(errs, "kgrace image setup") {
		t.Errorf("exit %d, %q, %q", code, output, errs)
	}
}

// Every row of the smoke run shows a repair, and one row needs a cluster.
func TestSmokeRows(t *testing.T) {
	all, err := scenario.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := scenario.Pick(all, scenario.LevelKind, smoke...)
	if err != nil || len(rows) != 3 {
		t.Fatalf("%v, %v", rows, err)
	}
	families := map[string]bool{}
	for _, row := range rows {
		families[row.Family] = true
		if row.Alone || !slices.ContainsFunc(row.Expect, func(e scenario.Expectation) bool { return e.Stock == scenario.Broken }) {
			t.Errorf("%s: a smoke row repairs something and runs beside others", row.ID)
		}
	}
	if len(families) != 3 || !families["cluster"] {
		t.Errorf("families: %v", families)
	}
}
