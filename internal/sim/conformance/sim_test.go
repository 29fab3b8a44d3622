/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

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

// TestSimulator compares the containerd behaviour with that of a real containerd when the files under testdata were written
// (TestRealContainerd with -update).
func TestSimulator(t *testing.T) {
	for _, sequence := range Sequences() {
		t.Run(sequence.Name, func(t *testing.T) {
			got := simulate(t, sequence, sim.Containerd).String()
			want, err := os.ReadFile(golden(sequence))
			if err != nil {
				t.Fatalf("%v: write it with TestRealContainerd -update\n%s", err, got)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s\nthe simulator differs from containerd (-containerd +simulator):\n%s", sequence.Why, diff)
			}
		})
	}
}

func golden(sequence Sequence) string { return filepath.Join("testdata", sequence.Name+".txt") }
