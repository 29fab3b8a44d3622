// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/shard"
	"github.com/kgrace/kgrace/internal/simkubelet"
	"github.com/kgrace/kgrace/internal/verdict"
)

// fakeSuiteVar makes the test binary act as a suite that plays nothing. Its value is a scenario whose verdict is to be red.
const fakeSuiteVar = "KGRACE_TEST_FAKE_SUITE"

func init() {
	redOne, ok := os.LookupEnv(fakeSuiteVar)
	if !ok {
		return
	}
	err := fakeSuite(redOne)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// fakeSuite writes the results of a suite: the verdicts that the catalogue expects, except for one, and tallies.
func fakeSuite(redOne string) error {
	if path, ok := os.LookupEnv(property.ConfigVar); ok {
		c, err := property.ReadConfig(path)
		if err != nil {
			return err
		}
		if c.Kind == property.Unhurried {
			return fakeStream(c, redOne)
		}
		n := len(c.Seeds())
		r := property.Results{Kind: c.Kind, Minor: c.Minor, Arm: c.Arm, Seed: c.Seed, Histories: n, Rules: map[scenario.Rule]property.Tally{"R1": {Held: n}}}
		return r.Write(filepath.Join(c.Artifacts, c.File("results", "json")))
	}
	c, rows, err := simkubelet.ReadConfig(os.Getenv(simkubelet.ConfigVar))
	if err != nil {
		return err
	}
	r := result.Results{Minor: c.Minor, Level: scenario.LevelSim, Arms: []verdict.Arm{c.Arm}, Scenarios: c.Scenarios}
	for _, s := range rows {
		one := result.Result{Scenario: s.ID, Arm: c.Arm}
		for _, e := range s.Expect {
			v := verdict.Kept
			if s.ID == redOne && c.Arm == verdict.Fixed {
				v = verdict.Regressed
			}
			one.Rules = append(one.Rules, result.Rule{Finding: judge.Finding{Rule: e.Rule}, Verdict: v})
		}
		r.Results = append(r.Results, one)
	}
	return r.Write(filepath.Join(c.Artifacts, c.File("results", "json")))
}

// differing is the value of fakeSuiteVar for random scenarios of kind unhurried that differ.
const differing = "unhurried"

// unsteady and racing are the values for scenarios that differ only the first time: one scenario or many.
const (
	unsteady = "unsteady"
	racing   = "racing"
)

// fakeStream is a suite that plays unhurried pods of one event each. If they are to differ, the fixed arm differs from stock
// with every third seed. The smaller the seed, the longer the text of its scenario.
func fakeStream(c property.Config, redOne string) error {
	out := json.NewEncoder(os.NewFile(property.StreamFD, "histories"))
	for _, seed := range c.Seeds() {
		e := history.Event{At: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), Kind: history.CRICall, Call: "StopContainer", Grace: history.Seconds(30)}
		again := c.Count == 1
		if c.Arm == verdict.Fixed && (redOne == differing && seed%3 == 0 || redOne == unsteady && seed%49 == 0 && !again || redOne == racing && seed%3 == 0 && !again) {
			*e.Grace = 2
		}
		p := property.Played{Seed: seed, Scenario: strings.Repeat("word ", 1000-seed), History: history.History{
			Header: history.Header{Scenario: "fake", Arm: string(c.Arm)}, Events: []history.Event{e}}}
		if err := out.Encode(p); err != nil {
			return err
		}
	}
	return nil
}

// compiledSuites returns a directory of suites, both of which run this test binary.
func compiledSuites(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	// Small, because its digest is computed often.
	script := filepath.Join(dir, "suite")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec "+self+" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	made, err := shard.NewSuites("v1.37", map[verdict.Arm]string{verdict.Stock: script, verdict.Fixed: script})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range made.Files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(script, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := made.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestSplitAndMerged runs parts like the pods of ci/indexed-job, outside of a checkout, and merges them.
func TestSplitAndMerged(t *testing.T) {
	suites := compiledSuites(t)
	t.Chdir(t.TempDir())
	t.Setenv(fakeSuiteVar, "")
	seeds := []string{"--seed", "7", "--histories", "50"}
	part := func(dir, index string) (code int, errs string) {
		t.Setenv(ArtifactsVar, dir)
		split := []string{"--suites", suites}
		if index != "" {
			split = append(split, "--shard", index, "--run", "one")
		}
		code, _, errs = kgrace(t.Context(), append([]string{"regress", "--level", "sim", "--artifacts", dir}, split...)...)
		more, _, said := kgrace(t.Context(), append(append([]string{"properties"}, seeds...), split...)...)
		return max(code, more), errs + said
	}
	piece := t.TempDir()
	if code, errs := part(piece, ""); code != verdict.ExitGood {
		t.Fatalf("in one piece: exit %d: %s", code, errs)
	}
	parts := t.TempDir()
	for i := range 3 {
		if code, errs := part(filepath.Join(parts, fmt.Sprint(i)), fmt.Sprintf("%d/3", i)); code != verdict.ExitGood {
			t.Fatalf("part %d: exit %d: %s", i, code, errs)
		}
	}
	whole := t.TempDir()
	code, output, errs := kgrace(t.Context(), "report", "merge", "--artifacts", whole, parts)
	if code != verdict.ExitGood || !strings.Contains(output, "GOOD\n") || !strings.Contains(errs, "all 3 parts are there") {
		t.Fatalf("merge: exit %d: %s%s", code, output, errs)
	}
	for _, below := range []string{".", "crio"} {
		var got, want result.Results
		for dir, into := range map[string]*result.Results{piece: &want, whole: &got} {
			data, err := os.ReadFile(filepath.Join(dir, below, result.ResultsFile(scenario.LevelSim)))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, into); err != nil {
				t.Fatal(err)
			}
			if into.Origin == nil || into.Origin.Began.IsZero() || into.Origin.Machine == "" {
				t.Fatalf("%s: the results do not say where and when they were made: %+v", dir, into.Origin)
			}
			into.Seconds, into.Origin.Began = 0, time.Time{}
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got.Results) < 60 {
			t.Errorf("%s (-in one piece +merged)\n%s", below, diff)
		}
		if _, err := os.Stat(filepath.Join(whole, below, result.PageFile)); err != nil {
			t.Error(err)
		}
	}

	// A red part exits with red and makes the merged run red.
	t.Setenv(fakeSuiteVar, "lengthen")
	reds := 0
	for i := range 3 {
		code, errs := part(filepath.Join(parts, fmt.Sprint(i)), fmt.Sprintf("%d/3", i))
		if code == verdict.ExitRed && strings.Contains(errs, "red: lengthen on fixed") {
			reds++
		} else if code != verdict.ExitGood {
			t.Errorf("part %d: exit %d: %s", i, code, errs)
		}
	}
	if reds != 1 {
		t.Errorf("%d parts are red, want 1", reds)
	}
	if code, output, errs := kgrace(t.Context(), "report", "merge", "--artifacts", whole, parts); code != verdict.ExitRed || !strings.Contains(errs, "red: lengthen on fixed") {
		t.Errorf("merge: exit %d: %s%s", code, output, errs)
	}

	// A missing part is an error, whatever the verdicts of the others.
	if err := os.RemoveAll(filepath.Join(parts, "1")); err != nil {
		t.Fatal(err)
	}
	code, output, errs = kgrace(t.Context(), "report", "merge", "--artifacts", whole, parts)
	if code != verdict.ExitInvalid || output != "" || !strings.Contains(errs, "1/3 is missing") {
		t.Errorf("merge: exit %d: %s%s", code, output, errs)
	}
}

// TestUnhurried compares two arms that differ in every third of 50 scenarios, in one piece and in parts, and one arm with
// itself.
func TestUnhurried(t *testing.T) {
	suites := compiledSuites(t)
	t.Chdir(t.TempDir())
	t.Setenv(fakeSuiteVar, differing)
	play := func(dir string, more ...string) (int, []property.Results, string) {
		t.Setenv(ArtifactsVar, dir)
		code, output, errs := kgrace(t.Context(), append([]string{"properties", "--kind", "unhurried", "--seed", "7", "--histories", "50", "--output", "json", "--suites", suites}, more...)...)
		var found []property.Results
		if err := json.Unmarshal([]byte(output), &found); err != nil || len(found) != 1 {
			t.Fatalf("exit %d: %v: %s%s", code, err, output, errs)
		}
		return code, found, errs
	}
	want := property.Tally{Held: 34, Broken: 16} // 9, 12, ... 54
	check := func(name string, one property.Results) {
		t.Helper()
		if one.Kind != property.Unhurried || one.Arm != verdict.Fixed || one.Histories != 50 || one.Rules[scenario.Kept] != want {
			t.Errorf("%s: %+v", name, one)
		}
		// Only the simplest is kept.
		if len(one.Broken) != 1 || one.Broken[0].Seed != 54 || !strings.Contains(one.Broken[0].Why, "fixed has [cri.call StopContainer grace 2 while") {
			t.Errorf("%s: %+v", name, one.Broken)
		}
	}
	dir := t.TempDir()
	code, found, errs := play(dir, "--processes", "4")
	if code != verdict.ExitRed || !strings.Contains(errs, "fixed is not as stock in 16 of 50") {
		t.Errorf("exit %d: %s", code, errs)
	}
	check("in one piece", found[0])
	for _, name := range found[0].Broken[0].Files() {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	parts, whole := t.TempDir(), t.TempDir()
	for i := range 3 {
		play(filepath.Join(parts, fmt.Sprint(i)), "--shard", fmt.Sprintf("%d/3", i), "--run", "one")
	}
	if code, output, errs := kgrace(t.Context(), "report", "merge", "--artifacts", whole, parts); code != verdict.ExitRed || !strings.Contains(output, "unhurried  fixed  R12   34    16") {
		t.Errorf("merge: exit %d: %s%s", code, output, errs)
	}
	for _, name := range found[0].Broken[0].Files() {
		if _, err := os.Stat(filepath.Join(whole, name)); err != nil {
			t.Error(err)
		}
	}
	if code, found, errs := play(t.TempDir(), "--arm", "fixed"); code != verdict.ExitGood || found[0].Rules[scenario.Kept].Held != 50 {
		t.Errorf("against itself: exit %d: %+v, %s", code, found[0], errs)
	}
}

func TestUnsteady(t *testing.T) {
	suites := compiledSuites(t)
	t.Chdir(t.TempDir())
	for how, c := range map[string]struct {
		code, times int
		says        string
	}{unsteady: {verdict.ExitGood, 1, ""}, racing: {verdict.ExitRed, 16, "something races"}} {
		dir := t.TempDir()
		t.Setenv(ArtifactsVar, dir)
		t.Setenv(fakeSuiteVar, how)
		code, output, errs := kgrace(t.Context(), "properties", "--kind", "unhurried", "--seed", "7", "--histories", "50", "--output", "json", "--suites", suites)
		var found []property.Results
		if err := json.Unmarshal([]byte(output), &found); err != nil || len(found) != 1 {
			t.Fatalf("exit %d: %v: %s%s", code, err, output, errs)
		}
		if code != c.code || found[0].Unsteady != c.times || found[0].Rules[scenario.Kept].Held != 50 || !strings.Contains(errs, c.says) {
			t.Errorf("%s: exit %d: %+v, %s", how, code, found[0], errs)
		}
	}
}

func TestSplitRefuses(t *testing.T) {
	suites := compiledSuites(t)
	t.Setenv(ArtifactsVar, "")
	t.Setenv(shard.RunVar, "")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"regress", "--level", "sim", "--shard", "4/4"}, "0/4, 1/4, 2/4 and 3/4 are the parts of four"},
		{[]string{"regress", "--level", "node", "--shard", "0/4"}, "for runs at level sim"},
		{[]string{"regress", "--shard", "0/4"}, "--shard needs a --run, or KGRACE_RUN"},
		{[]string{"properties", "--shard", "0/4", "--seed", "1"}, "--shard needs a --run, or KGRACE_RUN"},
		{[]string{"regress", "--shard", "0/4", "--run", "a/b"}, "cannot identify a run"},
		{[]string{"report", "merge", "--artifacts", "x", "--run", "a/b", suites}, "cannot identify a run"},
		{[]string{"regress", "--level", "sim", "--shard", "1/2", "--run", "one", "lengthen"}, "part 1/2 has no scenario: want at most 1 parts"},
		{[]string{"regress", "--level", "sim", "--suites", suites}, "set ARTIFACTS"},
		{[]string{"regress", "--level", "sim", "--suites", suites, "--kubernetes", "v1.36"}, "are of v1.37, not of v1.36"},
		{[]string{"properties", "--shard", "0/4", "--seed", "0"}, "--shard needs a --seed"},
		{[]string{"properties", "--shard", "3/4", "--seed", "1", "--histories", "3"}, "part 3/4 has no scenario"},
		{[]string{"report", "merge", suites}, "name a directory for the merged run"},
		{[]string{"report", "merge"}, "at least 1 arg"},
		{[]string{"shard", "image", "--image", "no tag"}, "want a name and a tag"},
		{[]string{"shard", "image", "--image", "kgrace-shards", "--file", "x"}, "it has no tag"},
		{[]string{"shard", "image", "--image", "kgrace-shards:v1"}, "--file"},
		{[]string{"shard", "image", "--image", "kgrace-shards:v1", "--file", "x", "--kubernetes", "v1.2"}, "versions.yaml knows"},
	} {
		code, output, errs := kgrace(t.Context(), c.args...)
		if code != verdict.ExitUsage || output != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, %q, %q; want exit %d with %q", c.args, code, output, errs, verdict.ExitUsage, c.want)
		}
	}
	if code, _, errs := kgrace(t.Context(), "report", "merge", "--artifacts", t.TempDir(), suites); code != verdict.ExitInvalid || !strings.Contains(errs, "holds no part of a run") {
		t.Errorf("exit %d: %s", code, errs)
	}
}
