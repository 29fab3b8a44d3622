// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/upstreame2e"
	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

func TestUpstreamE2ERefuses(t *testing.T) {
	t.Setenv(RootVar, checkout(t))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--arm", "left"}, "known: stock, fixed"},
		{[]string{"--processes", "0"}, "at least 1"},
		{[]string{"--kubernetes", "v1.2"}, "versions.yaml knows"},
		{[]string{"--output", "xml"}, "table"},
		{[]string{"a", "b"}, "at most 1 arg"},
	} {
		code, output, errs := kgrace(t.Context(), append([]string{"upstream-e2e"}, c.args...)...)
		if code != verdict.ExitUsage || output != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, %q, %q; want exit %d with %q", c.args, code, output, errs, verdict.ExitUsage, c.want)
		}
	}
}

// TestUpstreamE2EExitCodes: a spec that passes on stock and fails on fixed is red; one without a verdict is invalid, never
// good.
func TestUpstreamE2EExitCodes(t *testing.T) {
	quiet := &app{output: io.Discard, errs: io.Discard}
	for _, c := range []struct {
		stock, fixed string
		code         int
		says         string
	}{
		{"passed", "passed", verdict.ExitGood, ""},
		{"failed", "passed", verdict.ExitGood, ""},
		{"passed", "failed", verdict.ExitRed, "red: pass on stock and fail on fixed: a spec"},
		{"failed", "failed", verdict.ExitInvalid, "invalid: no verdict on the arms: a spec"},
		{"passed", "", verdict.ExitInvalid, "invalid"},
	} {
		results := upstreame2e.Results{Arms: verdict.Arms(), Specs: upstreame2e.Compare([]upstreame2e.Spec{{Text: "a spec"}}, map[verdict.Arm]map[string]upstreame2e.Outcome{
			verdict.Stock: {"a spec": {State: c.stock}}, verdict.Fixed: {"a spec": {State: c.fixed}}})}
		if code, says := codeOf(quiet.printUpstreamE2E(results, "", newOutputFlag())); code != c.code || !strings.Contains(says, c.says) {
			t.Errorf("%s and %s: exit %d, %q; want %d with %q", c.stock, c.fixed, code, says, c.code, c.says)
		}
	}
	if code, says := codeOf(quiet.printUpstreamE2E(upstreame2e.Results{}, "", newOutputFlag())); code != verdict.ExitInvalid || !strings.Contains(says, "no spec was run") {
		t.Errorf("nothing ran: exit %d, %q", code, says)
	}
}

// codeOf returns the exit code of a command's error, as run does.
func codeOf(err error) (int, string) {
	if err == nil {
		return verdict.ExitGood, ""
	}
	if coded, ok := err.(*exitError); ok {
		return coded.code, err.Error()
	}
	return verdict.ExitInvalid, err.Error()
}

func TestReleasesOf(t *testing.T) {
	root := checkout(t)
	v, err := versions.Load(filepath.Join(root, versions.FileName))
	if err != nil {
		t.Fatal(err)
	}
	r := &kubetree.Repo{Root: root, Versions: v}
	want := []newest{{Minor: "v1.37", Pinned: "v1.37.2", Newest: "v1.37.3", Newer: true}}
	if diff := cmp.Diff(want, releasesOf(r, []string{"v1.37.3", "v1.38.1"}, true)); diff != "" {
		t.Error(diff)
	}
	if got := releasesOf(r, []string{"v1.37.2"}, true); got == nil || len(got) != 0 {
		t.Errorf("nothing newer: %v; want a list without entries", got)
	}
	if got := releasesOf(r, nil, false); len(got) != 1 || got[0].Newest != "" {
		t.Errorf("a proxy that lists nothing: %v", got)
	}
}
