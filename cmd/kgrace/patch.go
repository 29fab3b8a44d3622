// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/verdict"
)

func newPatchCommand(app *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "patch",
		Short: "Work on a series of patches",
		Args:  onlyCommands,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPatchEditCommand(app), newPatchExtractCommand(app), newPatchPortCommand(app), newPatchRebaseCommand(app), newPatchSizeCommand(app), newPatchSubmitCommand(app))
	return cmd
}

// seriesOf opens the checkout and resolves the minor; "" is the default one.
func (a *app) seriesOf(minor string) (*kubetree.Repo, string, error) {
	r, err := a.repo()
	if err != nil {
		return nil, "", err
	}
	if minor == "" {
		minor = r.Versions.Default
	}
	if _, err := r.Versions.Minor(minor); err != nil {
		return nil, "", usage(err)
	}
	return r, minor, nil
}

// writeSeries extracts the commits of a tree as the series of a minor and prints which files changed.
func (a *app) writeSeries(ctx context.Context, r *kubetree.Repo, minor, tree, base string) error {
	changes, err := patchset.Extract(ctx, tree, base, r.SeriesDir(minor))
	for _, name := range changes.Written {
		fmt.Fprintln(a.output, "wrote", name)
	}
	for _, name := range changes.Removed {
		fmt.Fprintln(a.output, "removed", name)
	}
	if err == nil && len(changes.Written)+len(changes.Removed) == 0 {
		fmt.Fprintln(a.errs, "the series is up to date")
	}
	return err
}

func newPatchExtractCommand(app *app) *cobra.Command {
	var minor, from, base string
	cmd := &cobra.Command{
		Use:   "extract",
		Short: "Write the commits of the fixed tree as the series",
		Long: `Write the commits that the fixed tree has on top of the stock tree into patches/<minor>: one patch per commit, named after
its position and subject, and the file that lists them. Files that would not change are not touched. Prints what changed.

The tree must have no uncommitted changes.`,
		Example: "  kgrace patch extract\n  kgrace patch extract --from ~/kubernetes --base v1.37.2",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (from == "") != (base == "") {
				return usage(fmt.Errorf("--from and --base go together: a tree, and the commit in it that the series starts from"))
			}
			r, minor, err := app.seriesOf(minor)
			if err != nil {
				return err
			}
			if from == "" {
				stock, err := r.Ensure(cmd.Context(), minor, verdict.Stock, nil)
				if err != nil {
					return err
				}
				// Not Ensure: this tree has the edits to extract.
				from, base = r.TreeDir(minor, verdict.Fixed), stock.Commit
			}
			return app.writeSeries(cmd.Context(), r, minor, from, base)
		},
	}
	addMinorFlag(cmd, &minor)
	cmd.Flags().StringVar(&from, "from", "", "the git work tree to extract from (default: the fixed tree under _output)")
	cmd.Flags().StringVar(&base, "base", "", "the commit the series starts from (default: the stock tree's)")
	return cmd
}
