// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/ginkgo/v2/reporters"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/simkubelet"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

const minor = "v1.37"

// all returns the scenarios of the tests' runs, one of which not every runtime supports.
func all(t *testing.T) []scenario.Scenario {
	t.Helper()
	catalogue, err := scenario.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := scenario.Pick(catalogue, scenario.LevelSim, "force-direct", "shorten-once", "lengthen", "hook-exec-force", "sidecar-order", "readiness-during-stop")
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// leave writes what a part of a run leaves; the zero part is the undivided run.
func leave(t *testing.T, dir string, p Part) {
	t.Helper()
	rows := Take(p, all(t))
	for _, runtime := range sim.Behaviours() {
		below := filepath.Join(dir, Below(runtime))
		mine := rows
		results := result.Results{Minor: minor, Level: scenario.LevelSim, Arms: verdict.Arms(), Scenarios: scenario.IDs(mine), Seconds: float64(10 + p.Index),
			Skipped: []result.Skip{{Scenario: "now", Why: "since v1.99"}}}
		for _, s := range mine {
			for _, arm := range verdict.Arms() {
				c := simkubelet.Config{Arm: arm, Behaviour: runtime}
				one := result.Result{Scenario: s.ID, Arm: arm, History: c.History(s.ID)}
				for _, e := range s.Expect {
					one.Rules = append(one.Rules, result.Rule{Finding: judge.Finding{Rule: e.Rule}, Verdict: verdict.Kept})
				}
				results.Results = append(results.Results, one)
				h := history.History{Header: history.Header{Scenario: s.ID, Arm: string(arm), Level: string(scenario.LevelSim), Minor: minor},
					Events: []history.Event{{Seq: 1, At: time.Unix(1, 0).UTC(), Kind: history.Finished}}}
				must(t, history.WriteFile(filepath.Join(below, one.History), h))
			}
		}
		must(t, results.Write(filepath.Join(below, result.ResultsFile(scenario.LevelSim))))
		for _, arm := range verdict.Arms() {
			c := simkubelet.Config{Arm: arm, Behaviour: runtime}
			var r types.Report
			for _, s := range mine {
				r.SpecReports = append(r.SpecReports, types.SpecReport{LeafNodeType: types.NodeTypeIt, LeafNodeText: s.ID, State: types.SpecStatePassed})
			}
			must(t, reporters.GenerateJUnitReport(r, filepath.Join(below, c.File("junit", "xml"))))
			must(t, reporters.GenerateJSONReport(r, filepath.Join(below, c.File("ginkgo", "json"))))
		}
	}
	if p.Split() {
		must(t, manifest(t, p).Write(dir))
		must(t, properties(t, dir, p).Write(dir))
	}
}

func manifest(t *testing.T, p Part) Manifest {
	return Manifest{Kind: Catalogue, Part: p, Run: "1", Minor: minor, Arms: verdict.Arms(), Runtimes: simkubelet.Runtimes(), Scenarios: scenario.IDs(all(t)),
		Suites: map[verdict.Arm]string{verdict.Stock: "sha256:1", verdict.Fixed: "sha256:2"}}
}

// properties writes the results of 20 random scenarios in which stock broke R4 whenever the seed was divisible by 3.
func properties(t *testing.T, dir string, p Part) Manifest {
	m := manifest(t, p)
	m.Kind, m.Scenarios, m.Seed, m.Histories = Properties, nil, 100, 20
	for _, arm := range verdict.Arms() {
		r := property.Results{Minor: minor, Arm: arm, Seed: 100, Rules: map[scenario.Rule]property.Tally{}, Seconds: 1}
		for _, seed := range (property.Config{Seed: 100, Count: 20, Shard: p.Index, Shards: p.Total}).Seeds() {
			r.Histories++
			tally := r.Rules["R4"]
			if arm == verdict.Stock && seed%3 == 0 {
				tally.Broken++
				if len(r.Broken) == 0 {
					f := property.Found{Rule: "R4", Seed: seed, Why: "asked with 2", Row: fmt.Sprintf("properties/stock/%d.go.txt", seed)}
					must(t, os.MkdirAll(filepath.Join(dir, "properties", "stock"), 0o755))
					must(t, os.WriteFile(filepath.Join(dir, f.Row), nil, 0o644))
					r.Broken = append(r.Broken, f)
				}
			} else {
				tally.Held++
			}
			r.Rules["R4"] = tally
		}
		m.Found = append(m.Found, r)
	}
	return m
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// parts writes the parts of a run below one directory.
func parts(t *testing.T, total int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range total {
		leave(t, filepath.Join(dir, fmt.Sprintf("part-%d", i)), Part{i, total})
	}
	return dir
}

// TestMergedIsAsInOnePiece: same rows, verdicts and histories as in an undivided run, for every number of parts.
func TestMergedIsAsInOnePiece(t *testing.T) {
	piece := t.TempDir()
	leave(t, piece, Part{})
	for _, total := range []int{1, 2, 5} {
		out := filepath.Join(t.TempDir(), "merged")
		merged, err := Merge(out, "", parts(t, total))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sim.Behaviours(), merged.Runtimes); diff != "" {
			t.Error(diff)
		}
		for _, runtime := range sim.Behaviours() {
			below := Below(runtime)
			file := filepath.Join(below, result.ResultsFile(scenario.LevelSim))
			want, err := result.Read(filepath.Join(piece, file))
			must(t, err)
			got, err := result.Read(filepath.Join(out, file))
			must(t, err)
			if got.Seconds != float64(10+total-1) {
				t.Errorf("took %v s, want the longest part's", got.Seconds)
			}
			want.Seconds = got.Seconds
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d parts, %s (-in one piece +merged)\n%s", total, runtime, diff)
			}
			if got.Status() != verdict.StatusGood {
				t.Errorf("status %s", got.Status())
			}
			junit, err := os.ReadFile(filepath.Join(out, below, simkubelet.Config{Arm: verdict.Fixed, Behaviour: runtime}.File("junit", "xml")))
			must(t, err)
			if n := strings.Count(string(junit), "<testcase "); n != len(got.Scenarios) {
				t.Errorf("JUnit has %d cases, want %d", n, len(got.Scenarios))
			}
		}
		if _, err := result.ReadArtifacts(out); err != nil {
			t.Errorf("no content for a page: %v", err)
		}
		for _, p := range merged.Properties {
			want := property.Tally{Held: 20}
			if p.Arm == verdict.Stock {
				want = property.Tally{Held: 14, Broken: 6} // 102, 105, ... 117
				if len(p.Broken) != 1 || p.Broken[0].Seed != 102 {
					t.Errorf("broken %+v, want the smallest seed", p.Broken)
				} else if _, err := os.Stat(filepath.Join(out, p.Broken[0].Row)); err != nil {
					t.Error(err)
				}
			}
			if p.Rules["R4"] != want || p.Histories != 20 || p.Seed != 100 {
				t.Errorf("%s: %+v", p.Arm, p)
			}
		}
	}
}

// TestMergeRefuses lists inputs that Merge must not accept as a whole run.
func TestMergeRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil func(t *testing.T, dir string) []string
		want  string
	}{
		"a part that is missing": {func(t *testing.T, dir string) []string {
			must(t, os.RemoveAll(filepath.Join(dir, "part-1")))
			return nil
		}, "sim: 1/3 is missing"},
		"a part that did not come to its end": {func(t *testing.T, dir string) []string {
			must(t, os.Remove(filepath.Join(dir, "part-2", ManifestFile(Properties))))
			return nil
		}, "properties: 2/3 is missing"},
		"a part twice": {func(t *testing.T, dir string) []string {
			must(t, os.CopyFS(filepath.Join(dir, "again"), os.DirFS(filepath.Join(dir, "part-0"))))
			return nil
		}, "0/3 occurs twice, in "},
		"a directory named twice": {func(_ *testing.T, dir string) []string { return []string{dir, filepath.Join(dir, "part-0")} }, "0/3 occurs twice"},
		"parts of another split": {func(t *testing.T, dir string) []string {
			leave(t, filepath.Join(dir, "part-1"), Part{1, 4})
			return nil
		}, "different runs: number of parts 3 and 4"},
		"a part of another run": {func(t *testing.T, dir string) []string {
			for _, m := range []Manifest{manifest(t, Part{1, 3}), properties(t, t.TempDir(), Part{1, 3})} {
				m.Run = "2"
				must(t, m.Write(filepath.Join(dir, "part-1")))
			}
			return nil
		}, `different runs: run "1" and "2"`},
		"parts of other suites": {func(t *testing.T, dir string) []string {
			m := manifest(t, Part{1, 3})
			m.Suites[verdict.Fixed] = "sha256:3"
			must(t, m.Write(filepath.Join(dir, "part-1")))
			return nil
		}, "different runs: suites"},
		"parts of other seeds": {func(t *testing.T, dir string) []string {
			m := properties(t, t.TempDir(), Part{1, 3})
			m.Seed = 7
			must(t, m.Write(filepath.Join(dir, "part-1")))
			return nil
		}, "different runs: seed 100 and 7"},
		"results of another part": {func(t *testing.T, dir string) []string {
			file := result.ResultsFile(scenario.LevelSim)
			must(t, tool.CopyFile(filepath.Join(dir, "part-1", file), filepath.Join(dir, "part-0", file)))
			return nil
		}, "not the results of part 1/3"},
		"a result of another part": {func(t *testing.T, dir string) []string {
			file := filepath.Join(dir, "part-1", result.ResultsFile(scenario.LevelSim))
			r, err := result.Read(file)
			must(t, err)
			other, err := result.Read(filepath.Join(dir, "part-0", result.ResultsFile(scenario.LevelSim)))
			must(t, err)
			r.Results = append(r.Results, other.Results[0])
			must(t, r.Write(file))
			return nil
		}, "belongs to another part"},
		"a history that is gone": {func(t *testing.T, dir string) []string {
			must(t, os.RemoveAll(filepath.Join(dir, "part-1", "histories")))
			return nil
		}, "part 1/3: open"},
		"too few random scenarios": {func(t *testing.T, dir string) []string {
			m := properties(t, t.TempDir(), Part{1, 3})
			m.Found[0].Histories--
			must(t, m.Write(filepath.Join(dir, "part-1")))
			return nil
		}, "19 histories in all, requested were 20"},
		"no part at all": {func(t *testing.T, _ string) []string { return []string{t.TempDir()} }, "holds no part of a run"},
		"half a manifest": {func(t *testing.T, dir string) []string {
			must(t, os.WriteFile(filepath.Join(dir, "part-1", ManifestFile(Catalogue)), []byte(`{"kind":`), 0o644))
			return nil
		}, ManifestFile(Catalogue) + ": unexpected end"},
		"a part outside of its split": {func(t *testing.T, dir string) []string {
			must(t, os.WriteFile(filepath.Join(dir, "part-1", ManifestFile(Catalogue)), []byte(`{"kind":"sim","part":{"index":3,"total":3},"arms":["stock"]}`), 0o644))
			return nil
		}, "not the manifest of a part"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := parts(t, 3)
			dirs := tc.spoil(t, dir)
			if dirs == nil {
				dirs = []string{dir}
			}
			if _, err := Merge(filepath.Join(t.TempDir(), "merged"), "", dirs...); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
	dir := parts(t, 1)
	if _, err := Merge(filepath.Join(dir, "part-0"), "", dir); err == nil || !strings.Contains(err.Error(), "a part itself") {
		t.Errorf("merged into a part: %v", err)
	}
	// A directory that still has a whole other run.
	if _, err := Merge(filepath.Join(t.TempDir(), "merged"), "2", dir); err == nil || !strings.Contains(err.Error(), `part 0/1 of run "1", want run "2"`) {
		t.Errorf("another run: %v", err)
	}
	if _, err := Merge(filepath.Join(t.TempDir(), "merged"), "1", dir); err != nil {
		t.Error(err)
	}
}

func TestCheckRun(t *testing.T) {
	for id, good := range map[string]bool{"": true, "8b2b5f3e-3a53-4b8e-a3c4-6a1f9d1c0a11": true, "2026-11-30": true, "../x": false, "a b": false, ".": false} {
		if err := CheckRun(id); (err == nil) != good {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// TestARedPartIsRedInAll: a verdict in one part decides the whole; a missing result makes it invalid, not good.
func TestARedPartIsRedInAll(t *testing.T) {
	for want, spoil := range map[verdict.Status]func(*result.Results){
		verdict.StatusRed:     func(r *result.Results) { r.Results[0].Rules[0].Verdict = verdict.Regressed },
		verdict.StatusInvalid: func(r *result.Results) { r.Results = r.Results[1:] },
	} {
		dir := parts(t, 3)
		file := filepath.Join(dir, "part-2", result.ResultsFile(scenario.LevelSim))
		r, err := result.Read(file)
		must(t, err)
		spoil(&r)
		must(t, r.Write(file))
		merged, err := Merge(filepath.Join(t.TempDir(), "merged"), "", dir)
		must(t, err)
		if got := merged.Results[sim.Containerd].Status(); got != want {
			t.Errorf("status %s, want %s", got, want)
		}
	}
}

func TestParts(t *testing.T) {
	for total := 1; total < 9; total++ {
		var got []int
		numbers := []int{0, 1, 2, 3, 4, 5, 6}
		for i := range total {
			got = append(got, Take(Part{i, total}, numbers)...)
		}
		slices.Sort(got)
		if !slices.Equal(got, numbers) {
			t.Errorf("%d parts: %v", total, got)
		}
		// The same for processes: three in each part.
		seen := map[int]int{}
		for i := range total {
			p := Part{i, total}
			if got := len(Take(p, numbers)); p.Of(len(numbers)) != got {
				t.Errorf("part %s of %v has %d, not %d", p, numbers, got, p.Of(len(numbers)))
			}
			for j := range 3 {
				share, shares := p.Process(j, 3)
				for _, seed := range (property.Config{Seed: 0, Count: 50, Shard: share, Shards: shares}).Seeds() {
					seen[seed]++
				}
			}
		}
		for seed := range 50 {
			if seen[seed] != 1 {
				t.Errorf("%d parts: seed %d is played %d times", total, seed, seen[seed])
			}
		}
	}
	for _, bad := range []string{"", "1", "1/", "/2", "2/2", "-1/2", "0/0", "a/b", "1/2/3"} {
		p := Part{7, 8}
		if err := p.Set(bad); err == nil || p != (Part{7, 8}) {
			t.Errorf("%q: %v, %v", bad, err, p)
		}
	}
	var p Part
	if p.String() != "" || p.Split() || p.Set("3/4") != nil || p.String() != "3/4" || !p.Split() {
		t.Errorf("got %+v", p)
	}
}

func TestSuites(t *testing.T) {
	dir := t.TempDir()
	paths := map[verdict.Arm]string{}
	for _, arm := range verdict.Arms() {
		paths[arm] = filepath.Join(dir, string(arm), "sim.test")
		must(t, os.MkdirAll(filepath.Dir(paths[arm]), 0o755))
		must(t, os.WriteFile(paths[arm], []byte(arm), 0o755))
	}
	if _, err := OpenSuites(dir); err == nil || !strings.Contains(err.Error(), "kgrace shard image") {
		t.Errorf("no list: %v", err)
	}
	s, err := NewSuites(minor, paths)
	must(t, err)
	must(t, s.Write(dir))
	got, err := OpenSuites(dir)
	must(t, err)
	if diff := cmp.Diff(paths, got.Files); diff != "" || got.Minor != minor {
		t.Errorf("minor %s, files %s", got.Minor, diff)
	}
	must(t, os.WriteFile(paths[verdict.Fixed], []byte("x"), 0o755))
	if _, err := OpenSuites(dir); err == nil || !strings.Contains(err.Error(), "replaced or truncated") {
		t.Errorf("another program: %v", err)
	}
}
