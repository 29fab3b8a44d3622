// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/matrix"
	"github.com/kgrace/kgrace/internal/matrix/prove"
	"github.com/kgrace/kgrace/internal/report"
)

// matrixQuery holds the flags of `kgrace matrix`.
type matrixQuery struct {
	minors, patches, columns []string
	fresh, kept              bool
	format                   matrixFormat
}

// matrixFormat is outputFlag with one format more.
type matrixFormat string

var matrixFormats = []string{"table", "markdown", "json"}

func (f *matrixFormat) String() string { return string(*f) }
func (f *matrixFormat) Type() string   { return "table|markdown|json" }

func (f *matrixFormat) Set(v string) error {
	if !slices.Contains(matrixFormats, v) {
		return errors.New("want table, markdown or json")
	}
	*f = matrixFormat(v)
	return nil
}

// defaultMinor stands for the default minor of versions.yaml.
const defaultMinor = "default"

func newMatrixCommand(app *app) *cobra.Command {
	q := &matrixQuery{format: "table"}
	cmd := &cobra.Command{
		Use:   "matrix",
		Short: "Prove every patch on every minor",
		Long: `Fill a table of all patches and minors with these cells:

  applies    git am applies the patch to the tree before it, without three-way merging or fuzz
  builds     with the patches up to it the kubelet links, and the packages touched so far type-check, for linux and windows
  upstream   with the patches up to it all tests of the packages touched so far pass
  without    the tests that it adds or changes fail on the tree before it, or on stock, for the reason in intree.yaml
  with       they pass with the patches up to it
  scenarios  those of its Scenarios trailer are broken by the series without it (or, where there is no such tree, by the
             tree before it) and held by the whole series, at the sim level

A cell is proved, red, drop (upstream has it), nothing (there is nothing to prove) or not-run. Cells are kept in the output
directory with a digest of their inputs: a second run fills only cells whose inputs changed, and an interrupted run loses one cell.
A full column of one minor takes some minutes to half an hour on two cores, most of it compiling.

matrix.json, matrix.md and matrix.html go to $ARTIFACTS (default: artifacts in the output directory). They always show the whole
table; cells that were not asked for show their kept state.

Exit codes: 1 if a requested cell is red, or a row contradicts itself; 3 if one could not be filled. A patch to drop is
announced; the exit code is 0.`,
		Example: "  kgrace matrix\n  kgrace matrix --kubernetes default\n  kgrace matrix --kubernetes v1.36 --patch 4\n  kgrace matrix --column applies,builds\n  kgrace matrix --kept -o markdown",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return q.run(cmd.Context(), app) },
	}
	cmd.Flags().StringSliceVar(&q.minors, "kubernetes", nil, "minors to fill; 'default' is that of versions.yaml (default: all)")
	cmd.Flags().StringSliceVar(&q.patches, "patch", nil, "patches to fill, by number (default: all)")
	cmd.Flags().StringSliceVar(&q.columns, "column", nil, "columns to fill (default: all)")
	cmd.Flags().BoolVar(&q.fresh, "fresh", false, "fill cells again, even if they are kept")
	cmd.Flags().BoolVar(&q.kept, "kept", false, "fill no cell; write reports of the kept ones")
	cmd.Flags().VarP(&q.format, "output", "o", "output format")
	return cmd
}

func (q *matrixQuery) run(ctx context.Context, app *app) error {
	wanted, err := q.wanted()
	if err != nil {
		return usage(err)
	}
	r, err := app.repo()
	if err != nil {
		return err
	}
	for i, name := range q.minors {
		if name == defaultMinor {
			name = r.Versions.Default
			q.minors[i] = name
		}
		if _, err := r.Versions.Minor(name); err != nil {
			return usage(err)
		}
	}
	plans, err := prove.Plans(ctx, r)
	if err != nil {
		return red(err)
	}
	for _, n := range q.patches {
		if number, _ := strconv.Atoi(n); !slices.ContainsFunc(plans, func(p *matrix.Plan) bool { return number <= len(p.Patches) }) {
			return usage(fmt.Errorf("no series has a patch %s", n))
		}
	}
	prover, err := prove.New(ctx, r)
	if err != nil {
		return err
	}
	filler := &matrix.Filler{Prover: prover, Store: matrix.Store{Dir: filepath.Join(prove.Dir(r), "cells")}, Wanted: wanted,
		Fresh: q.fresh, KeptOnly: q.kept, Progress: app.errs}
	table, err := filler.Fill(ctx, plans)
	if err = errors.Join(err, prover.Close()); err != nil {
		return err
	}
	if err := report.WriteMatrix(artifacts(r), table); err != nil {
		return err
	}
	if err := q.print(app, table); err != nil {
		return err
	}
	fmt.Fprintf(app.errs, "matrix: reports in %s\n", artifacts(r))
	o := table.Outcome(wanted)
	if q.kept && len(o.Red) == 0 && len(o.NotRun) > 0 {
		// The table shows which.
		return fmt.Errorf("the matrix is incomplete: %d of %d cells are not kept for the current inputs; `kgrace matrix` fills them", len(o.NotRun), o.Wanted)
	}
	return judgeMatrix(app, o)
}

// wanted checks the filters and combines them into one.
func (q *matrixQuery) wanted() (func(string, int, matrix.Column) bool, error) {
	if q.kept && q.fresh {
		return nil, errors.New("--kept and --fresh exclude each other")
	}
	var numbers []int
	for _, text := range q.patches {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("--patch %s: want the number of a patch in its series, from 1", text)
		}
		numbers = append(numbers, n)
	}
	var columns []matrix.Column
	for _, name := range q.columns {
		c, err := matrix.ParseColumn(name)
		if err != nil {
			return nil, err
		}
		columns = append(columns, c)
	}
	return func(minor string, number int, c matrix.Column) bool {
		return (len(q.minors) == 0 || slices.Contains(q.minors, minor)) &&
			(len(numbers) == 0 || slices.Contains(numbers, number)) &&
			(len(columns) == 0 || slices.Contains(columns, c))
	}, nil
}

// print prints the table, one line per patch and minor.
func (q *matrixQuery) print(app *app, table matrix.Table) error {
	switch q.format {
	case "markdown":
		_, err := fmt.Fprint(app.output, table.Markdown())
		return err
	case "json":
		return outputFlag("json").write(app.output, table, nil, nil)
	}
	header := []string{"MINOR", "PATCH"}
	for _, c := range matrix.Columns() {
		header = append(header, strings.ToUpper(string(c)))
	}
	var rows [][]string
	for _, m := range table.Minors {
		for _, r := range m.Rows {
			row := []string{m.Minor, fmt.Sprintf("%d %s", r.Number, firstRunes(r.Subject, 48))}
			for _, c := range matrix.Columns() {
				row = append(row, string(r.Cell(c).Status))
			}
			status, _ := r.Verdict()
			rows = append(rows, append(row, strings.ReplaceAll(status.Word(), "*", "")))
		}
	}
	return outputFlag("table").write(app.output, table, append(header, "PATCH IS"), rows)
}

func judgeMatrix(app *app, o matrix.Outcome) error {
	for _, line := range o.Drop {
		fmt.Fprintf(app.errs, "\n!!! DROP THE PATCH: %s\n", line)
	}
	list := func(what string, lines []string) error {
		return fmt.Errorf("%d of %d cells %s:\n  %s", len(lines), o.Wanted, what, strings.Join(lines, "\n  "))
	}
	switch {
	case len(o.Red) > 0 && len(o.NotRun) > 0:
		return red(errors.Join(list("are red", o.Red), list("were not run", o.NotRun)))
	case len(o.Red) > 0:
		return red(list("are red", o.Red))
	case len(o.NotRun) > 0:
		return fmt.Errorf("the matrix is incomplete: %w", list("were not run", o.NotRun))
	case o.Wanted == 0:
		return errors.New("no cell matches the filters")
	}
	return nil
}
