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

package matrix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"time"
)

// Prover finds out what stands in a cell.
type Prover interface {
	// Inputs says what goes into a minor's cells besides its plan. It may lay the stock arm out.
	Inputs(ctx context.Context, p *Plan) (Inputs, error)
	// Prove fills a cell; Seconds and Key are the caller's business. An error means that it could not be carried out.
	Prove(ctx context.Context, p *Plan, number int, c Column) (Cell, error)
}

// Filler fills a table, a cell at a time: what a cell takes (a build, a test binary) uses all processors by itself.
type Filler struct {
	Prover Prover
	Store  Store
	// Wanted says which cells to fill; nil means all. The others are shown as they were kept.
	Wanted func(minor string, number int, c Column) bool
	// Fresh fills the wanted cells anew, whatever is kept of them.
	Fresh bool
	// KeptOnly fills none and shows what is kept.
	KeptOnly bool
	// Progress gets a line a cell, and one every half minute while a cell is at work; nil means none.
	Progress io.Writer

	mu    sync.Mutex
	done  int
	total int
}

// progressInterval is how often a cell says that it is still at work.
const progressInterval = 30 * time.Second

// Fill returns the table of these plans. What could not be carried out is in the table as not-run, with the reason; the
// error is for an interrupt, or a store that cannot be written. Cells that were filled before either are kept.
func (f *Filler) Fill(ctx context.Context, plans []*Plan) (Table, error) {
	f.done, f.total = 0, 0
	for _, p := range plans {
		f.total += f.count(p)
	}
	var t Table
	for _, p := range plans {
		m, err := f.fillMinor(ctx, p)
		if err != nil {
			return t, err
		}
		t.Minors = append(t.Minors, m)
	}
	return t, nil
}

// count is how many cells of a plan are wanted.
func (f *Filler) count(p *Plan) (n int) {
	for _, patch := range p.Patches {
		for _, c := range Columns() {
			if f.wanted(p.Minor, patch.Number, c) {
				n++
			}
		}
	}
	return n
}

func (f *Filler) wanted(minor string, number int, c Column) bool {
	return !f.KeptOnly && (f.Wanted == nil || f.Wanted(minor, number, c))
}

func (f *Filler) fillMinor(ctx context.Context, p *Plan) (Minor, error) {
	m := Minor{Minor: p.Minor, Kubernetes: p.Pins.Kubernetes, Go: p.Pins.Go}
	for _, patch := range p.Patches {
		m.Rows = append(m.Rows, Row{Number: patch.Number, Patch: patch.Name, Subject: patch.Subject, DropWhen: patch.DropWhen})
	}
	in, reason, err := f.inputs(ctx, p)
	if err != nil {
		return m, err
	}
	for i, patch := range p.Patches {
		for _, c := range Columns() {
			cell := Cell{Column: c, Status: NotRun, Why: reason}
			if reason == "" {
				if cell, err = f.cell(ctx, p, patch, c, in); err != nil {
					return m, err
				}
			}
			m.Rows[i].Cells = append(m.Rows[i].Cells, cell)
		}
	}
	return m, nil
}

// notAsked is why a cell that is not wanted, and not kept either, is empty.
const notAsked = "not asked for, and nothing is kept of it for the present inputs"

// inputs returns what goes into a minor's cells, or the reason why none of them can be filled. A minor of which nothing is
// wanted and nothing kept needs no tree.
func (f *Filler) inputs(ctx context.Context, p *Plan) (in Inputs, reason string, err error) {
	if f.count(p) == 0 && !f.Store.Any(p.Minor) {
		return in, notAsked, nil
	}
	in, err = f.Prover.Inputs(ctx, p)
	if ctx.Err() != nil {
		return in, "", context.Cause(ctx)
	}
	if err != nil {
		f.say("%s: %v", p.Minor, err)
		return in, err.Error(), nil
	}
	return in, "", nil
}

// cell returns a kept cell, or fills it.
func (f *Filler) cell(ctx context.Context, p *Plan, patch Patch, c Column, in Inputs) (Cell, error) {
	key := p.Key(patch.Number, c, in)
	wanted := f.wanted(p.Minor, patch.Number, c)
	if wanted {
		f.done++
	}
	what := fmt.Sprintf("%s patch %d of %d, %s", p.Minor, patch.Number, len(p.Patches), c)
	if !wanted || !f.Fresh {
		kept, err := f.Store.Get(p.Minor, patch.Name, c, key)
		switch {
		case err == nil:
			if wanted {
				f.say("%s: %s (kept)", what, kept.Status)
			}
			return kept, nil
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errStale):
			f.say("%s: %v; it does not count", what, err)
		}
	}
	if !wanted {
		return Cell{Column: c, Status: NotRun, Why: notAsked}, nil
	}
	// What is kept is of other inputs, or not to be believed.
	if err := f.Store.Forget(p.Minor, patch.Name, c); err != nil {
		return Cell{}, err
	}
	begin := time.Now()
	stop := f.heartbeat(what, begin)
	cell, err := f.Prover.Prove(ctx, p, patch.Number, c)
	stop()
	if ctx.Err() != nil {
		return Cell{}, context.Cause(ctx)
	}
	if err != nil {
		cell = Cell{Status: NotRun, Why: err.Error()}
	}
	cell.Column, cell.Seconds = c, time.Since(begin).Seconds()
	if !slices.Contains(Statuses(), cell.Status) {
		return cell, fmt.Errorf("%s: status %q, want one of %v", what, cell.Status, Statuses())
	}
	if cell.Status != NotRun {
		cell.Key = key
	}
	f.say("%s: %s in %.1f s: %s", what, loud(cell.Status), cell.Seconds, cell.Why)
	return cell, f.Store.Put(p.Minor, patch.Name, cell)
}

// loud is a status as it stands in a line that should not be overlooked.
func loud(s Status) string {
	switch s {
	case Red:
		return "RED"
	case Drop:
		return "DROP THE PATCH"
	}
	return string(s)
}

func (f *Filler) say(format string, args ...any) {
	if f.Progress == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Fprintf(f.Progress, "matrix: [%d/%d] %s\n", f.done, f.total, fmt.Sprintf(format, args...))
}

// heartbeat says every half minute that a cell is at work, until stop is called.
func (f *Filler) heartbeat(what string, begin time.Time) (stop func()) {
	end := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				f.say("%s: at work for %s", what, time.Since(begin).Round(time.Second))
			}
		}
	})
	return func() { close(end); wait.Wait() }
}
