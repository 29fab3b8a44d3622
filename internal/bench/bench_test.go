// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// samples writes ten rounds of every benchmark, each value of an arm a little different, as the programs print them.
func samples(t *testing.T, stock, fixed map[string]float64, rounds int, wide float64) Samples {
	t.Helper()
	dir := t.TempDir()
	files := map[string]map[string]float64{filepath.Join(dir, "stock"): stock, filepath.Join(dir, "fixed"): fixed}
	for file, values := range files {
		var text strings.Builder
		text.WriteString("goos: linux\ncpu: X\n")
		for round := range rounds {
			for _, name := range slices.Sorted(maps.Keys(values)) {
				v := values[name] * (1 + wide*(float64(round)/float64(rounds)-0.5))
				fmt.Fprintf(&text, "BenchmarkKgrace%s-2\t3000\t%.3f ns/op\t%.0f B/op\n", name, v, values[name])
			}
			text.WriteString("PASS\n")
		}
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Samples{filepath.Join(dir, "stock"), filepath.Join(dir, "fixed")}
}

func TestOnlyASignificantSlowdownIsRed(t *testing.T) {
	stock := map[string]float64{"UpdatePod/new": 2000, "UpdatePod/delete": 900, "UpdatePod/same": 900, "Termination": 900}
	fixed := map[string]float64{"UpdatePod/new": 2080, "UpdatePod/delete": 972, "UpdatePod/same": 900, "Termination": 700}
	narrow, wide := samples(t, stock, fixed, 10, 0.01), samples(t, map[string]float64{"Wide": 900}, map[string]float64{"Wide": 910}, 10, 0.5)
	for name, c := range map[string]struct {
		samples Samples
		limit   float64
		want    map[string]Verdict
	}{
		"narrow": {narrow, 5, map[string]Verdict{"UpdatePod/new sec/op": Good, "UpdatePod/delete sec/op": Slower, "UpdatePod/same sec/op": Good,
			"Termination sec/op": Good, "UpdatePod/new B/op": Told, "UpdatePod/delete B/op": Told, "UpdatePod/same B/op": Told, "Termination B/op": Told}},
		"another limit": {narrow, 9, map[string]Verdict{"UpdatePod/delete sec/op": Good}},
		"work that stock does not do": {samples(t, map[string]float64{"UpdatePod/force": 900, "UpdatePod/shorter": 900}, map[string]float64{"UpdatePod/force": 1300, "UpdatePod/shorter": 1400}, 10, 0.01),
			5, map[string]Verdict{"UpdatePod/force sec/op": Good, "UpdatePod/shorter sec/op": Slower}},
		"wide":      {wide, 5, map[string]Verdict{"Wide sec/op": Unclear}},
		"one round": {samples(t, stock, fixed, 1, 0), 5, map[string]Verdict{"UpdatePod/delete sec/op": Unclear}},
	} {
		rows, err := Compare(c.samples, c.limit)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]Verdict{}
		for _, row := range rows {
			got[row.Benchmark+" "+row.Unit] = row.Verdict
		}
		for row, want := range c.want {
			if verdict, ok := got[row]; !ok || verdict != want {
				t.Errorf("%s: %s: %q, %t, want %q", name, row, verdict, ok, want)
			}
		}
		if name == "narrow" && len(rows) != len(c.want) {
			t.Errorf("%d rows, want %d: %+v", len(rows), len(c.want), rows)
		}
	}
	rows, err := Compare(narrow, 5)
	if err != nil || len(rows) < 4 {
		t.Fatal(rows, err)
	}
	force := rows[1] // time first, then by name
	if force.Benchmark != "UpdatePod/delete" || math.Abs(force.Delta-8) > 0.1 || force.Spread > 1 || !force.Found || force.P != "0.000 n=10" {
		t.Errorf("%+v", force)
	}
}

func TestWhatIsNotMeasuredIsNoResult(t *testing.T) {
	for name, texts := range map[string][2]string{
		"nothing":      {"goos: linux\n", "goos: linux\n"},
		"one arm only": {"BenchmarkKgraceA-2\t3000\t2 ns/op\n", "PASS\n"},
		"no number":    {"BenchmarkKgraceA-2\t3000\tfast ns/op\n", "BenchmarkKgraceA-2\t3000\t2 ns/op\n"},
	} {
		s := Samples{filepath.Join(t.TempDir(), "stock"), filepath.Join(t.TempDir(), "fixed")}
		for i, file := range []string{s.Stock, s.Fixed} {
			if err := os.WriteFile(file, []byte(texts[i]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if rows, err := Compare(s, 5); err == nil {
			t.Errorf("%s: %+v", name, rows)
		}
	}
	if rows, err := Compare(Samples{"none", "none"}, 5); err == nil {
		t.Errorf("no files: %+v", rows)
	}
}

// arm writes a program that prints one benchmark line and records that it ran.
func arm(t *testing.T, name, line string) string {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	script := fmt.Sprintf("#!%s\necho %s >> %q\nprintf '%s'\n", sh, name, filepath.Join(filepath.Dir(filepath.Dir(path)), "turns"), line)
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestArmsTakeTurns(t *testing.T) {
	line := `BenchmarkKgraceUpdatePod/new-2\t3000\t%s ns/op\n`
	arms := Arms{arm(t, "stock", strings.Replace(line, "%s", "100", 1)), arm(t, "fixed", strings.Replace(line, "%s", "110", 1))}
	dir := t.TempDir()
	s, err := Run(t.Context(), arms, Plan{Rounds: 3, Times: 5}, dir)
	if err != nil {
		t.Fatal(err)
	}
	turns, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(arms.Stock)), "turns"))
	if err != nil || string(turns) != "stock\nfixed\nfixed\nstock\nstock\nfixed\n" {
		t.Errorf("%q, %v", turns, err)
	}
	for file, want := range map[string]string{s.Stock: "100 ns/op", s.Fixed: "110 ns/op"} {
		if data, err := os.ReadFile(file); err != nil || strings.Count(string(data), want) != 3 {
			t.Errorf("%s: %q, %v", file, data, err)
		}
	}
	if _, err := Run(t.Context(), Arms{arms.Stock, arm(t, "silent", "PASS")}, Plan{Rounds: 1, Times: 5}, dir); err == nil || !strings.Contains(err.Error(), "measured nothing") {
		t.Errorf("an arm that measures nothing: %v", err)
	}
	if _, err := Run(t.Context(), arms, Plan{Times: 5}, dir); err == nil {
		t.Error("zero rounds are accepted")
	}
}

func TestTheSlowedArmIsLaidOverToo(t *testing.T) {
	tree, dir := t.TempDir(), t.TempDir()
	path := filepath.Join(tree, filepath.FromSlash(slowed.File))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("package kubelet\n\nfunc f() {\n"+slowed.Old+"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for slow, files := range map[bool]int{false: 1, true: 2} {
		overlay, err := layOver(dir, tree, slow)
		if err != nil {
			t.Fatal(err)
		}
		var o struct{ Replace map[string]string }
		data, err := os.ReadFile(overlay)
		if err == nil {
			err = json.Unmarshal(data, &o)
		}
		if err != nil || len(o.Replace) != files || o.Replace[filepath.Join(tree, filepath.FromSlash(inTree))] == "" {
			t.Errorf("slow %t: %v, %v", slow, o, err)
		}
		if text, err := os.ReadFile(o.Replace[path]); slow && (err != nil || !strings.Contains(string(text), "restartCount(i int)")) {
			t.Errorf("%q, %v", text, err)
		}
	}
}
