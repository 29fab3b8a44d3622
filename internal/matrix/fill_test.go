// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fake is a prover without trees.
type fake struct {
	in     Inputs
	inErr  map[string]error // by minor
	proved []string         // the requested cells, in order
	answer func(what string) (Cell, error)
}

func (f *fake) Inputs(_ context.Context, p *Plan) (Inputs, error) { return f.in, f.inErr[p.Minor] }

func (f *fake) Prove(ctx context.Context, p *Plan, number int, c Column) (Cell, error) {
	what := fmt.Sprintf("%s %d %s", p.Minor, number, c)
	f.proved = append(f.proved, what)
	if f.answer != nil {
		return f.answer(what)
	}
	return Cell{Status: Proved, Why: what}, ctx.Err()
}

// set is a filler over a fake prover, with two minors and its own directory.
type set struct {
	*Filler
	*fake
	plans []*Plan
	log   bytes.Buffer
}

func newSet(t *testing.T) *set {
	t.Helper()
	s := &set{fake: &fake{in: Inputs{Stock: "abc"}}, plans: []*Plan{newTestPlan(t, "v1.37", nil), newTestPlan(t, "v1.36", nil)}}
	s.Filler = &Filler{Prover: s.fake, Store: Store{Dir: t.TempDir()}, Progress: &s.log}
	return s
}

func (s *set) fill(t *testing.T) Table {
	t.Helper()
	s.proved = nil
	s.log.Reset()
	table, err := s.Fill(t.Context(), s.plans)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

const cells = 2 * 3 * 6

func TestFillTwiceFillsOnce(t *testing.T) {
	s := newSet(t)
	first := s.fill(t)
	if len(s.proved) != cells || first.Status() != Proved || first.Cells()[Proved] != cells {
		t.Fatalf("%d cells were filled, want %d: %v", len(s.proved), cells, first.Cells())
	}
	second := s.fill(t)
	if len(s.proved) != 0 {
		t.Errorf("the second run fills %v", s.proved)
	}
	if first.Markdown() != second.Markdown() {
		t.Error("the stored table differs")
	}
	if !strings.Contains(s.log.String(), "[36/36] v1.36 patch 3 of 3, scenarios: proved (kept)") {
		t.Errorf("the progress is\n%s", s.log.String())
	}
	s.plans[0] = newTestPlan(t, "v1.37", map[string]string{"0003-e2e.patch": patchText(3, "none (no)", e2eDiff) + "-- \n"})
	s.fill(t)
	want := "v1.37 1 scenarios, v1.37 2 scenarios, v1.37 3 applies, v1.37 3 builds, v1.37 3 upstream, v1.37 3 without, v1.37 3 with, v1.37 3 scenarios"
	if got := strings.Join(s.proved, ", "); got != want {
		t.Errorf("after a change to the last patch it fills\n%s\nwant\n%s", got, want)
	}
	s.Fresh = true
	s.Wanted = func(minor string, number int, c Column) bool { return minor == "v1.36" && number == 2 && c == Builds }
	if s.fill(t); strings.Join(s.proved, ", ") != "v1.36 2 builds" {
		t.Errorf("fresh fills %v", s.proved)
	}
}

func TestInterruptLosesTheCellInProgress(t *testing.T) {
	s := newSet(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("the user went home")
	s.answer = func(what string) (Cell, error) {
		if what == "v1.37 2 upstream" {
			cancel(stopped)
			return Cell{}, context.Canceled
		}
		return Cell{Status: Proved}, nil
	}
	if _, err := s.Fill(ctx, s.plans); !errors.Is(err, stopped) {
		t.Fatalf("got %v", err)
	}
	s.answer = nil
	s.fill(t)
	if len(s.proved) != cells-8 || s.proved[0] != "v1.37 2 upstream" {
		t.Errorf("after the interrupt %d cells are filled, %s first", len(s.proved), s.proved[0])
	}
}

func TestWhatCannotBeCarriedOutIsNotRunAndNotKept(t *testing.T) {
	s := newSet(t)
	s.inErr = map[string]error{"v1.36": errors.New("no network")}
	s.answer = func(what string) (Cell, error) {
		if what == "v1.37 1 builds" {
			return Cell{}, errors.New("the disk is full")
		}
		return Cell{Status: Proved}, nil
	}
	table := s.fill(t)
	if c := table.Minors[0].Rows[0].Cell(Builds); c.Status != NotRun || c.Why != "the disk is full" || c.Key != "" {
		t.Errorf("got %+v", c)
	}
	if c := table.Minors[1].Rows[2].Cell(With); c.Status != NotRun || c.Why != "no network" {
		t.Errorf("got %+v", c)
	}
	o := table.Outcome(nil)
	if table.Status() != NotRun || len(o.NotRun) != 19 || len(o.Red) != 0 || o.Wanted != cells {
		t.Errorf("%s; %d not run, %d red", table.Status(), len(o.NotRun), len(o.Red))
	}
	s.answer, s.inErr = nil, nil
	if s.fill(t); len(s.proved) != 19 {
		t.Errorf("the next run fills %v", s.proved)
	}
}

func TestKeptCellsThatAreNone(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"cut short":       {`{"column": "bui`, "builds.json is not a cell of the matrix: unexpected end of JSON input"},
		"another column":  {`{"column": "with", "status": "proved"}`, `its column is "with", want "builds"`},
		"no status":       {`{"column": "builds", "status": "fine"}`, `status "fine"`},
		"not run is kept": {`{"column": "builds", "status": "not-run"}`, `status "not-run"`},
		"other inputs":    {`{"column": "builds", "status": "proved", "key": "x"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSet(t)
			s.fill(t)
			path := filepath.Join(s.Store.Dir, "v1.37", "0002-two", "builds.json")
			if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			table := s.fill(t)
			if strings.Join(s.proved, ", ") != "v1.37 2 builds" || table.Status() != Proved {
				t.Errorf("fills %v", s.proved)
			}
			if c.want != "" && !(strings.Contains(s.log.String(), path) && strings.Contains(s.log.String(), c.want)) {
				t.Errorf("%q is not in\n%s", c.want, s.log.String())
			}
			if s.fill(t); len(s.proved) != 0 {
				t.Errorf("it is not computed again: %v", s.proved)
			}
		})
	}
}

func TestWhatWasNotAskedForIsShownAsKept(t *testing.T) {
	s := newSet(t)
	s.Wanted = func(minor string, _ int, c Column) bool { return minor == "v1.37" && c == Applies }
	// No cell of v1.36 is wanted or stored, so no tree of it is laid out.
	s.inErr = map[string]error{"v1.36": errors.New("no network")}
	table := s.fill(t)
	if len(s.proved) != 3 || table.Cells()[Proved] != 3 || table.Minors[1].Rows[0].Cells[0].Why != notAsked {
		t.Errorf("fills %v; %v", s.proved, table.Cells())
	}
	if o := table.Outcome(s.Wanted); len(o.NotRun)+len(o.Red) != 0 || o.Wanted != 3 {
		t.Errorf("got %+v", o)
	}
	s.KeptOnly, s.Wanted = true, nil
	if table = s.fill(t); len(s.proved) != 0 || table.Cells()[Proved] != 3 {
		t.Errorf("kept alone: %v %v", s.proved, table.Cells())
	}
	if o := table.Outcome(nil); len(o.NotRun) != cells-3 {
		t.Errorf("%d not run", len(o.NotRun))
	}
}

func TestAProverMustKnowWhatItSays(t *testing.T) {
	s := newSet(t)
	s.answer = func(string) (Cell, error) { return Cell{Status: "fine"}, nil }
	if _, err := s.Fill(t.Context(), s.plans); err == nil || !strings.Contains(err.Error(), `v1.37 patch 1 of 3, applies: status "fine", want one of`) {
		t.Errorf("got %v", err)
	}
}
