// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/patchset"
)

func newPatchSizeCommand(app *app) *cobra.Command {
	var minor string
	var markdown bool
	out := newOutputFlag()
	cmd := &cobra.Command{
		Use:   "size",
		Short: "Count the lines of each patch",
		Long: `Count the lines that each patch adds and removes, separately for release code, tests and generated files. COMMENT counts the
added lines of code that are empty or only comment, including the licence headers of new files.`,
		Example: "  kgrace patch size\n  kgrace patch size --kubernetes v1.38 -o json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, named, err := app.seriesOf(minor)
			if err != nil {
				return err
			}
			minors := []string{named}
			if minor == "" {
				minors = r.Versions.MinorNames()
			}
			if markdown && out == "json" {
				return usage(fmt.Errorf("--markdown and -o json exclude each other"))
			}
			sizes, err := patchset.LoadSizes(minors, r.SeriesDir)
			if err != nil {
				return err
			}
			if markdown {
				_, err := fmt.Fprint(app.output, sizes.Markdown())
				return err
			}
			return out.write(app.output, sizes, []string{"MINOR", "PATCH", "FILES", "CODE", "COMMENT", "TESTS", "GENERATED", "SUBJECT"}, sizes.Rows())
		},
	}
	cmd.Flags().StringVar(&minor, "kubernetes", "", "Kubernetes minor, as in versions.yaml (default: all)")
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print a Markdown table for each minor")
	cmd.Flags().VarP(&out, "output", "o", "output format")
	return cmd
}
