// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the documents from the recorded results")

// The documents in docs/results follow from the recorded results beside them, and so do the verdicts in those.
func TestRecordedRun(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "results")
	r, err := ReadResults(filepath.Join(dir, ResultsFile))
	if err != nil {
		t.Fatal(err)
	}
	sim, err := ReadSim(filepath.Join(dir, SimResultsFile))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Checks, Judge(r)); diff != "" {
		t.Errorf("judged again:\n%s", diff)
	}
	document, err := r.Document(PlotFile, &sim)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{DocumentFile: document, PlotFile: r.Plot()} {
		path := filepath.Join(dir, name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s does not follow from the results (go test ./internal/scale -update):\n%s", name, diff)
		}
	}
}

// Every column's line of the plot ends at the top, and it never goes back in time.
func TestSteps(t *testing.T) {
	w := waveOf(Fixed, Parts(120)[0], 2, .5)
	got := steps(w, func(at float64) float64 { return 10 * at }, func(dead int) float64 { return float64(-dead) })
	if want := "M0.0 0.0H5.0V-1.0H20.0V-2.0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTicks(t *testing.T) {
	for end, want := range map[float64][]float64{
		1: {0, .2, .4, .6, .8, 1}, 7: {0, 1, 2, 3, 4, 5, 6, 7}, 41: {0, 10, 20, 30, 40}, 118: {0, 20, 40, 60, 80, 100},
	} {
		got := ticks(end)
		for i := range got {
			got[i] = round(got[i])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ticks up to %v:\n%s", end, diff)
		}
	}
}
