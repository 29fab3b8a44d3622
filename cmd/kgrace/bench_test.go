// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/bench"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestBenchVerdict(t *testing.T) {
	good := bench.Row{Benchmark: "UpdatePod/new", Unit: "sec/op", Stock: 2e-6, Fixed: 2.02e-6, Delta: 1, Found: true, Verdict: bench.Good}
	slow := bench.Row{Benchmark: "UpdatePod/force", Unit: "sec/op", Stock: 1e-6, Fixed: 2e-6, Delta: 100, Found: true, Verdict: bench.Slower}
	wide := bench.Row{Benchmark: "Termination", Unit: "sec/op", Stock: 1e-6, Fixed: 1e-6, Spread: 30, Verdict: bench.Unclear}
	for name, c := range map[string]struct {
		rows []bench.Row
		code int // -1: no error
		says string
	}{
		"good":                 {[]bench.Row{good}, -1, ""},
		"slower":               {[]bench.Row{good, slow}, verdict.ExitRed, "UpdatePod/force by 100.0 %"},
		"unclear":              {[]bench.Row{good, wide}, verdict.ExitInvalid, "Termination (± 30 %)"},
		"red is not invalid":   {[]bench.Row{wide, slow}, verdict.ExitRed, "UpdatePod/force"},
		"memory is no verdict": {[]bench.Row{{Benchmark: "UpdatePod/new", Unit: "B/op", Stock: 1, Fixed: 100, Delta: 9900, Found: true}}, -1, ""},
	} {
		err := benchVerdict(benchRun{Limit: 5, Rows: c.rows})
		code := -1
		var coded *exitError
		if err != nil {
			if code = verdict.ExitInvalid; errors.As(err, &coded) {
				code = coded.code
			}
		}
		if code != c.code || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: exit code %d, %v", name, code, err)
		}
	}
	if _, rows := benchTable([]bench.Row{good, wide}); strings.Join(rows[0], "|") != "UpdatePod/new|2µs|2.02µs|± 0 %|+1.0 %||ok" || rows[1][4] != "~" {
		t.Errorf("%q", rows)
	}
}

func TestBenchRefuses(t *testing.T) {
	t.Setenv(RootVar, checkout(t))
	for _, args := range [][]string{{"--count", "9"}, {"--times", "0"}, {"--limit", "0"}, {"--kubernetes", "v1.2"}} {
		if code, _, errs := kgrace(t.Context(), append([]string{"bench"}, args...)...); code != verdict.ExitUsage {
			t.Errorf("%v: exit code %d: %s", args, code, errs)
		}
	}
}
