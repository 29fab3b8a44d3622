// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/shard"
	"github.com/kgrace/kgrace/internal/verdict"
)

func newReportMergeCommand(app *app) *cobra.Command {
	out := newOutputFlag()
	to, run := os.Getenv(ArtifactsVar), os.Getenv(shard.RunVar)
	cmd := &cobra.Command{
		Use:   "merge dir...",
		Short: "Merge the parts of a split run",
		Long: `Merge the parts of a run: ` + "`kgrace regress --level sim --shard i/n` and `kgrace properties --shard i/n`" + `. Each dir is the
artifacts directory of a part, or a directory of such directories. The merged run is judged as if one machine had carried it out, and its
results, histories, JUnit and HTML report are written to --artifacts.

All parts must be of one run: the same --run, split, minor, arms, scenarios, seeds and suites. A missing or duplicate part is an error
that names it.

Exit codes:
  0  every part is there, and every verdict is the expected one
  1  red: a verdict differs from what the catalogue expects
  2  the command line is wrong
  3  invalid: a part is missing or does not fit, or nothing is red but something could not be run or judged`,
		Example: "  kgrace report merge --artifacts all part-0 part-1 part-2\n  kgrace report merge --artifacts all parts",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, dirs []string) error {
			if to == "" {
				return usage(fmt.Errorf("name a directory for the merged run: --artifacts, or %s", ArtifactsVar))
			}
			if err := shard.CheckRun(run); err != nil {
				return usage(fmt.Errorf("--run: %w", err))
			}
			return app.mergeReports(to, run, dirs, out)
		},
	}
	cmd.Flags().StringVar(&to, "artifacts", to, "directory of the merged run; not one of the parts")
	cmd.Flags().StringVar(&run, "run", run, "accept only parts of this run (default: $"+shard.RunVar+"; without it, they must agree)")
	cmd.Flags().VarP(&out, "output", "o", "output format")
	return cmd
}

func (a *app) mergeReports(to, run string, dirs []string, out outputFlag) error {
	merged, err := shard.Merge(to, run, dirs...)
	if err != nil {
		return err
	}
	for _, k := range shard.Kinds() {
		if n := merged.Parts[k]; n > 0 {
			fmt.Fprintf(a.errs, "merge: %s: all %d parts are there\n", k, n)
		}
	}
	q := &regression{out: out}
	var reds, errs []error
	for _, p := range merged.Runtimes {
		results := merged.Results[p]
		if out != "json" {
			fmt.Fprintf(a.output, "Runtime: simulated %s\n\n", p)
		}
		if err := q.judged(a, results); results.Status() == verdict.StatusRed {
			reds = append(reds, err)
		} else if err != nil {
			errs = append(errs, err)
		}
		errs = append(errs, a.htmlReport(filepath.Join(to, shard.Below(p))))
	}
	for _, found := range merged.Properties {
		if err := goodEnough(found); err != nil {
			reds = append(reds, err)
		}
	}
	if out == "json" {
		errs = append(errs, writeJSON(a.output, map[string]any{"results": merged.Results, "properties": merged.Properties}))
	} else if len(merged.Properties) > 0 {
		errs = append(errs, printProperties(a, out, merged.Properties))
	}
	if len(reds) > 0 {
		return red(errors.Join(append(reds, errs...)...))
	}
	return errors.Join(errs...)
}
