// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// outputFlag is the value of -o/--output: table or json.
type outputFlag string

var outputFormats = []string{"table", "json"}

func (o *outputFlag) String() string { return string(*o) }
func (o *outputFlag) Type() string   { return "table|json" }

func (o *outputFlag) Set(v string) error {
	if !slices.Contains(outputFormats, v) {
		return fmt.Errorf("want table or json")
	}
	*o = outputFlag(v)
	return nil
}

// newOutputFlag returns the default.
func newOutputFlag() outputFlag { return "table" }

// write prints v as JSON, or as a table: header and rows.
func (o outputFlag) write(w io.Writer, v any, header []string, rows [][]string) error {
	if o == "json" {
		return writeJSON(w, v)
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{header}, rows...) {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(tw, "\t")
			}
			fmt.Fprint(tw, cell)
		}
		fmt.Fprintln(tw)
	}
	return tw.Flush()
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// outcome turns the counts of verdicts into an error with the exit code: red verdicts take precedence over broken, the error
// that broke the run, and that over invalid results. none is the error of a run without verdicts.
func outcome(good, bad, invalid int, broken error, none string) error {
	switch {
	case bad > 0:
		return red(errors.Join(fmt.Errorf("%d verdicts are red", bad), broken))
	case broken != nil:
		return broken
	case invalid > 0:
		return fmt.Errorf("%d results are invalid: neither good nor red", invalid)
	case good == 0:
		return errors.New(none)
	}
	return nil
}
