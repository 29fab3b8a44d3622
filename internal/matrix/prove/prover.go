// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/matrix"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Prover fills cells. It is not safe for concurrent use. Close removes its trees.
type Prover struct {
	repo   *kubetree.Repo
	unlock func()

	// bench is that of the current minor; the next minor replaces it.
	bench *bench
}

// Plans returns the plans of all minors: the default one, then the others from newest to oldest.
func Plans(ctx context.Context, r *kubetree.Repo) ([]*matrix.Plan, error) {
	minors := r.Versions.MinorNames()
	slices.SortFunc(minors, func(a, b string) int {
		if a == r.Versions.Default || b == r.Versions.Default {
			return map[bool]int{true: -1, false: 1}[a == r.Versions.Default]
		}
		return semver.Compare(b, a)
	})
	var plans []*matrix.Plan
	var errs []error
	for _, minor := range minors {
		p, err := matrix.NewPlan(ctx, minor, r.Versions.Minors[minor], r.SeriesDir(minor))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		plans = append(plans, p)
	}
	return plans, errors.Join(errs...)
}

// Dir returns the directory in which cells and their data are stored.
func Dir(r *kubetree.Repo) string { return filepath.Join(r.Output, "matrix") }

// New waits until no other process fills the same matrix. The caller must close the Prover.
func New(ctx context.Context, r *kubetree.Repo) (*Prover, error) {
	unlock, err := r.Lock(ctx, "matrix")
	if err != nil {
		return nil, err
	}
	p := &Prover{repo: r, unlock: unlock}
	// A killed run leaves its trees behind.
	if err := os.RemoveAll(p.treesDir()); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Prover) treesDir() string { return filepath.Join(Dir(p.repo), "trees") }

// Close removes the trees and lets another process go on.
func (p *Prover) Close() error {
	defer p.unlock()
	return os.RemoveAll(p.treesDir())
}

// Inputs lays out the stock arm and reads this project's own sources.
func (p *Prover) Inputs(ctx context.Context, plan *matrix.Plan) (matrix.Inputs, error) {
	stock, err := p.repo.Ensure(ctx, plan.Minor, verdict.Stock, nil)
	if err != nil {
		return matrix.Inputs{}, err
	}
	in := matrix.Inputs{Stock: stock.Commit, Sources: map[matrix.Column]string{}}
	for _, c := range matrix.Columns() {
		if in.Sources[c], err = p.sources(ctx, plan, c); err != nil {
			return in, err
		}
	}
	return in, nil
}

// Prove fills one cell.
func (p *Prover) Prove(ctx context.Context, plan *matrix.Plan, number int, c matrix.Column) (matrix.Cell, error) {
	if p.bench == nil || p.bench.plan != plan {
		if err := os.RemoveAll(p.treesDir()); err != nil {
			return matrix.Cell{}, err
		}
		stock, err := p.repo.Ensure(ctx, plan.Minor, verdict.Stock, nil)
		if err != nil {
			return matrix.Cell{}, err
		}
		b, err := newBench(ctx, p, plan, stock)
		if err != nil {
			return matrix.Cell{}, err
		}
		p.bench = b
	}
	b := p.bench
	if c == matrix.Applies {
		return b.stages[number].cell, nil
	}
	if c == matrix.Scenarios {
		// A patch that does not apply may be upstream in another form; stock's behaviour shows it.
		return b.scenarios(ctx, plan.Patches[number-1])
	}
	for _, r := range b.stages[1 : number+1] {
		if r.cell.Status != matrix.Proved && r.cell.Status != matrix.Drop {
			return matrix.Cell{Status: matrix.NotRun, Why: "there is no tree: " + r.cell.Why}, nil
		}
	}
	switch c {
	case matrix.Builds:
		return b.builds(ctx, number)
	case matrix.Upstream:
		return b.upstream(ctx, number)
	case matrix.Without:
		return b.without(ctx, number)
	case matrix.With:
		return b.with(ctx, number)
	}
	return matrix.Cell{}, fmt.Errorf("unknown column %q; there are %v", c, matrix.Columns())
}

// upTo returns the numbers of the patches up to number that stock does not already contain.
func (b *bench) upTo(number int) (applied []int) {
	for n := 1; n <= number; n++ {
		if b.stages[n].cell.Status == matrix.Proved {
			applied = append(applied, n)
		}
	}
	return applied
}

// except returns a list without one patch.
func except(applied []int, number int) []int {
	return slices.DeleteFunc(slices.Clone(applied), func(n int) bool { return n == number })
}
