// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/sim/conformance"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestConformanceRefuses(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none.sock")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, verdict.ExitUsage, "--runtime-endpoint"},
		{[]string{"--runtime-endpoint", "/x", "--read", "y"}, verdict.ExitUsage, "--runtime-endpoint"},
		{[]string{"--runtime-endpoint", "tcp://x:1"}, verdict.ExitUsage, "unix socket"},
		{[]string{"--runtime-endpoint", "/x", "--against", "docker"}, verdict.ExitUsage, "known: containerd, crio"},
		{[]string{"--runtime-endpoint", "/x", "--sequence", "stopp"}, verdict.ExitUsage, "stop-zero"},
		{[]string{"--runtime-endpoint", none}, verdict.ExitInvalid, "there is no socket " + none},
		{[]string{"--read", none}, verdict.ExitInvalid, none},
	} {
		var output, errs bytes.Buffer
		code := run(t.Context(), append([]string{"conformance"}, c.args...), &output, &errs)
		if code != c.code || output.Len() > 0 || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%v: exit %d, %q, %q; want exit %d with %q", c.args, code, output.String(), errs.String(), c.code, c.want)
		}
	}
}

func TestConformanceReadsATrace(t *testing.T) {
	trace, err := conformance.Expected(sim.CRIO, "stop-zero")
	if err != nil {
		t.Fatal(err)
	}
	report := conformance.Report{
		Header:  conformance.Header{Format: 1, Runtime: "cri-o", Version: "1.37.0", Events: true},
		Results: []conformance.Result{{Sequence: "stop-zero", Trace: trace.Lines}},
	}
	if err := report.Judge(sim.CRIO); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	var text bytes.Buffer
	if err := report.Write(&text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for against, want := range map[string]struct {
		code int
		text string
	}{
		"": {verdict.ExitGood, "1 the same"}, "crio": {verdict.ExitGood, "1 the same"},
		"containerd": {verdict.ExitRed, "+ 0 s  line of main: TERM 1"},
	} {
		var output, errs bytes.Buffer
		code := run(t.Context(), []string{"conformance", "--read", file, "--against", against}, &output, &errs)
		if code != want.code || !strings.Contains(errs.String(), want.text) || !strings.Contains(output.String(), "stop-zero") {
			t.Errorf("against %q: exit %d, %q, %q; want exit %d with %q", against, code, output.String(), errs.String(), want.code, want.text)
		}
	}
}
