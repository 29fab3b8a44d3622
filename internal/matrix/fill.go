// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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

	"github.com/kgrace/kgrace/internal/tool"
)

// Prover computes the content of cells.
type Prover interface {
	// Inputs returns the inputs of a minor's cells besides its plan. It may lay out the stock arm.
	Inputs(ctx context.Context, p *Plan) (Inputs, error)
	// Prove fills a cell; the caller sets Seconds and Key. An error means that the proof could not be carried out.
	Prove(ctx context.Context, p *Plan, number int, c Column) (Cell, error)
}

// Filler fills a table one cell at a time: the work for a cell (a build, a test binary) already uses all processors.
type Filler struct {
	Prover Prover
	Store  Store
	// Wanted selects the cells to fill; nil means all. The others are shown as stored.
	Wanted func(minor string, number int, c Column) bool
	// Fresh fills the wanted cells anew even if they are stored.
	Fresh bool
	// KeptOnly fills no cell and shows the stored ones.
	KeptOnly bool
	// Progress receives one line per cell, and one every half minute while a cell is in progress; nil discards them.
	Progress io.Writer

	mu    sync.Mutex
	done  int
	total int
}

// Fill returns the table of these plans. A cell that could not be carried out is not-run, with the reason; Fill returns an
// error only for an interrupt or a store that cannot be written. Cells filled before either stay stored.
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

// count returns how many cells of a plan are wanted.
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

// notAsked is the reason for a cell that is neither wanted nor stored.
const notAsked = "not requested, and no result is stored for the current inputs"

// inputs returns the inputs of a minor's cells, or the reason why none of them can be filled. A minor without wanted or
// stored cells needs no tree.
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

// cell returns a stored cell, or fills it.
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
			f.say("%s: %v; ignoring it", what, err)
		}
	}
	if !wanted {
		return Cell{Column: c, Status: NotRun, Why: notAsked}, nil
	}
	// The stored cell has other inputs, or is invalid.
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

// loud returns a status in a form that stands out in a line.
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

// heartbeat logs every half minute that a cell is in progress, until stop is called.
func (f *Filler) heartbeat(what string, begin time.Time) (stop func()) {
	return tool.Heartbeat(begin, func(running time.Duration) { f.say("%s: running for %s", what, running) })
}
