// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/sim"
)

var update = flag.Bool("update", false, "write what the simulator does as the expected traces")

// simulate plays a sequence on the simulator, in virtual time.
func simulate(t *testing.T, sequence Sequence, behaviour sim.Behaviour) Trace {
	t.Helper()
	var trace Trace
	synctest.Test(t, func(t *testing.T) {
		recorder := history.NewRecorder()
		log, err := recorder.Open(history.Header{Scenario: sequence.Name, Level: "sim", Pod: sequence.Name})
		if err != nil {
			t.Fatal(err)
		}
		rt := sim.New(sim.Options{Behaviour: behaviour, Sink: recorder})
		defer rt.Stop()
		play, undo, err := Prepare(t.Context(), Stage{
			Runtime: rt, Log: log, Image: sim.ActorImage,
			Restart: func(context.Context) error {
				rt.Down()
				rt.Up()
				return nil
			},
		}, sequence)
		if err != nil {
			t.Fatal(err)
		}
		if trace, err = play(t.Context()); err != nil {
			t.Error(err)
		}
		if err := undo(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return trace
}

// TestSimulator compares the containerd behaviour with that of a real containerd when the files under testdata/containerd were
// written (TestRealContainerd with -update), and CRI-O's with those under testdata/crio, which hold what the simulator did when
// its differences from a real CRI-O were mended (TestSimulator with -update).
func TestSimulator(t *testing.T) {
	for _, behaviour := range sim.Behaviours() {
		for _, sequence := range Sequences() {
			t.Run(string(behaviour)+"/"+sequence.Name, func(t *testing.T) {
				got := simulate(t, sequence, behaviour)
				if *update && behaviour == sim.CRIO {
					write(t, behaviour, sequence, got)
				}
				want, err := Expected(behaviour, sequence.Name)
				if err != nil {
					t.Fatalf("%v: write it with -update, for containerd with that of TestRealContainerd\n%s", err, got)
				}
				if diff := cmp.Diff(want.String(), got.String()); diff != "" {
					t.Errorf("%s\nthe simulator differs (-expected +simulator):\n%s", sequence.Why, diff)
				}
			})
		}
	}
}

// write writes the expected trace of a sequence. The program has the files in it, so that the next run sees them.
func write(t *testing.T, behaviour sim.Behaviour, sequence Sequence, trace Trace) {
	t.Helper()
	file := filepath.Join("testdata", string(behaviour), sequence.Name+".txt")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(trace.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
