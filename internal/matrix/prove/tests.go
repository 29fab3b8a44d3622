// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/intree"
	"github.com/kgrace/kgrace/internal/matrix"
	"github.com/kgrace/kgrace/internal/verdict"
)

// upstream fills the column upstream.
func (b *bench) upstream(ctx context.Context, number int) (cell matrix.Cell, err error) {
	packages, _ := intree.Packages(b.plan.UpTo(number))
	if len(packages) == 0 {
		return matrix.Cell{Status: matrix.Nothing, Why: "no package that the series has changed so far has tests that run without a cluster"}, nil
	}
	if err := b.at(ctx, b.after, number); err != nil {
		return cell, err
	}
	results, err := b.runner(number).Tests(ctx, b.after, packages)
	if err != nil {
		return cell, err
	}
	passed := 0
	for _, r := range results {
		passed += r.Passed
		cell.Evidence = append(cell.Evidence, evidence(r, r.Why))
	}
	cell.Settle(fmt.Sprintf("%d tests of %d packages", passed, len(packages)))
	return cell, nil
}

// with fills the column with.
func (b *bench) with(ctx context.Context, number int) (cell matrix.Cell, err error) {
	tests := b.plan.Patches[number-1].Tests
	if cell, ok := b.noTests(number); ok {
		return cell, nil
	}
	if err := b.at(ctx, b.after, number); err != nil {
		return cell, err
	}
	results, err := b.runner(number).Own(ctx, b.after, tests)
	if err != nil {
		return cell, err
	}
	for _, r := range results {
		cell.Evidence = append(cell.Evidence, evidence(r, r.Why))
	}
	cell.Settle(fmt.Sprintf("%d tests", len(tests)))
	return cell, nil
}

// noTests returns the cell of a patch that declares no test.
func (b *bench) noTests(number int) (matrix.Cell, bool) {
	switch patch := b.plan.Patches[number-1]; {
	case len(patch.Tests) > 0:
		return matrix.Cell{}, false
	case patch.OnlyTests():
		return matrix.Cell{Status: matrix.Nothing, Why: "it only adds tests that need a cluster"}, true
	default:
		return matrix.Cell{Status: matrix.Red, Why: "it neither adds nor changes a test that " + intree.DeclaredFile + " declares; a patch without tests proves nothing"}, true
	}
}

// without fills the column without.
func (b *bench) without(ctx context.Context, number int) (cell matrix.Cell, err error) {
	if cell, ok := b.noTests(number); ok {
		return cell, nil
	}
	if err := b.at(ctx, b.before, number-1); err != nil {
		return cell, err
	}
	if err := b.at(ctx, b.after, number); err != nil {
		return cell, err
	}
	tests := b.plan.Patches[number-1].Tests
	before, err := b.failing(ctx, number, b.before, tests)
	if err != nil {
		return cell, err
	}
	// For tests without a proof there, check stock: upstream may contain the patch, or the declared reason may be stock's.
	stock := map[string]intree.Result{}
	if left := slices.DeleteFunc(slices.Clone(tests), func(d intree.Declared) bool { return before[d.Name()].Good() }); len(left) > 0 {
		if stock = before; b.stages[number-1].commit != b.stages[0].commit {
			if stock, err = b.failing(ctx, number, b.stock, left); err != nil {
				return cell, err
			}
		}
	}
	fails := 0
	for _, d := range tests {
		e := withoutEvidence(d, before[d.Name()], stock[d.Name()])
		if e.Status == matrix.Proved {
			fails++
		}
		cell.Evidence = append(cell.Evidence, e)
	}
	cell.Settle(fmt.Sprintf("%d tests fail, each for its reason", fails))
	if cell.Status == matrix.Nothing && !b.plan.Patches[number-1].OnlyTests() {
		cell.Status, cell.Why = matrix.Red, "all its tests are marked as kept: none fails without it"
	}
	return cell, nil
}

// withoutEvidence judges a declared test by what it did on the tree before its patch and, where that did not prove it, on
// stock.
func withoutEvidence(d intree.Declared, before, stock intree.Result) matrix.Evidence {
	e := matrix.Evidence{Name: before.Name()}
	switch {
	case before.Verdict == verdict.Kept:
		e.Status, e.Text = matrix.Nothing, "kept: "+d.Kept
	case before.Verdict == verdict.Reproduced:
		e.Status, e.Text = matrix.Proved, before.Why
	case stock.Verdict == verdict.Reproduced && before.Verdict == verdict.NotReproduced:
		e.Status, e.Text = matrix.Red, "it passes on the tree before the patch, although it fails on stock: it proves an earlier patch"
	case stock.Verdict == verdict.Reproduced:
		e.Status, e.Text = matrix.Proved, "on stock: "+stock.Why+"; before the patch, with another message: "+says(before)
	case stock.Verdict == verdict.NotReproduced:
		e.Status, e.Text = matrix.Drop, "passes on stock"
	case stock.Verdict.Red():
		e.Status, e.Text = matrix.Red, stock.Why
	default:
		e.Status, e.Text = matrix.NotRun, stock.Why
	}
	return e
}

// says returns the first line with a source position in a test's output, or else the result's reason.
func says(r intree.Result) string {
	for line := range strings.Lines(r.Output) {
		if text := strings.TrimSpace(line); strings.Contains(text, ".go:") {
			return text
		}
	}
	return r.Why
}

// failing runs declared tests of a patch, as in the tree after it, on a tree without it, and returns the results by name.
func (b *bench) failing(ctx context.Context, number int, tree string, tests []intree.Declared) (map[string]intree.Result, error) {
	r := b.runner(number)
	r.Stock, r.Fixed, r.Declared, r.OnStock = tree, b.after, tests, b.plan.OnStock
	r.Run, r.Vet = intree.Packages(r.Series)
	results, err := r.Do(ctx, intree.StepStock)
	if err != nil {
		return nil, err
	}
	byName := map[string]intree.Result{}
	for _, one := range results {
		byName[one.Name()] = one
	}
	return byName, nil
}

// runner returns a runner for the tests of the series up to a patch.
func (b *bench) runner(number int) *intree.Runner {
	return &intree.Runner{Toolchain: b.plan.Pins.Go, Series: b.plan.UpTo(number)}
}

// evidence returns the evidence of a result that has to pass.
func evidence(r intree.Result, text string) matrix.Evidence {
	e := matrix.Evidence{Name: r.Name(), Status: matrix.NotRun, Text: text}
	switch {
	case r.Good():
		e.Status = matrix.Proved
	case r.Verdict.Red():
		e.Status = matrix.Red
	}
	if said := firstFailure(r.Output); said != "" && e.Status != matrix.Proved {
		e.Text += ": " + said
	}
	return e
}

// firstFailure returns the first line with a source position in a test's or the compiler's output.
func firstFailure(output string) string {
	for line := range strings.Lines(output) {
		if text := strings.TrimSpace(line); strings.Contains(text, ".go:") {
			return text
		}
	}
	return ""
}
