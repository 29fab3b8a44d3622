// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/report"
	"github.com/kgrace/kgrace/internal/result"
)

func newReportCommand(app *app) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "report [dir]",
		Short: "Write the HTML report of kept artifacts",
		Long: `Write one HTML file from the artifacts in a directory: results.json, or results-<name>.json for several levels side by side, and
the histories that they name. If there are histories but no results, the histories are judged again. Prints the file's path.

The default directory is $` + ArtifactsVar + `, or artifacts in the output directory. Nothing is built or run; the page needs no network. An
incomplete file is refused by name and line.`,
		Example: "  kgrace report\n  kgrace report _output/artifacts --file report.html",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := os.Getenv(ArtifactsVar)
			if len(args) > 0 {
				dir = args[0]
			}
			if dir == "" {
				r, err := app.repo()
				if err != nil {
					return err
				}
				dir = artifacts(r)
			}
			path, err := report.WriteArtifacts(dir, file, app.knownMinors)
			if err != nil {
				return err
			}
			fmt.Fprintln(app.output, path)
			return nil
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "file to write (default: "+result.PageFile+" in the directory)")
	cmd.AddCommand(newReportMergeCommand(app))
	return cmd
}

// htmlReport writes the page of a run's artifacts, with those of other levels, and prints its path.
func (a *app) htmlReport(artifacts string) error {
	path, err := report.WriteArtifacts(artifacts, "", a.knownMinors)
	if err != nil {
		return fmt.Errorf("the HTML report was not written: %w", err)
	}
	fmt.Fprintln(a.errs, "report:", path)
	return nil
}

// knownMinors returns the minors that a history may be of: those of versions.yaml. nil, outside of a checkout, means any.
func (a *app) knownMinors() ([]string, error) {
	if _, err := a.findRoot(); err != nil {
		fmt.Fprintln(a.errs, "not in a checkout: whether the histories are of a known minor is not checked")
		return nil, nil
	}
	r, err := a.repo()
	if err != nil {
		return nil, err
	}
	return r.Versions.MinorNames(), nil
}
