// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/verdict"
)

func newPatchEditCommand(app *app) *cobra.Command {
	var minor string
	var goOn, abort bool
	cmd := &cobra.Command{
		Use:   "edit NUMBER | --continue | --abort",
		Short: "Open the fixed tree at a patch of the series",
		Long: `Open the fixed tree at a patch of the series, by number: the tree then has this patch and those before it. --continue makes
the changes in the tree part of the patch, applies the later patches again and writes the series. If one of them does not apply,
its file and hunk are named: resolve the conflict in the tree and --continue again. --abort discards the changes.

Prints the directory, or the files of the series that were written.`,
		Example: "  kgrace patch edit 4\n  kgrace patch edit --continue\n  kgrace patch edit --kubernetes v1.36 2",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, minor, err := app.seriesOf(minor)
			if err != nil {
				return err
			}
			switch {
			case goOn == abort && len(args) == 0, goOn && abort, (goOn || abort) && len(args) > 0:
				return usage(errors.New("want one of: the number of a patch, --continue, --abort"))
			case goOn:
				return app.continueEdit(cmd.Context(), r, minor)
			case abort:
				return patchset.AbortEdit(cmd.Context(), r.TreeDir(minor, verdict.Fixed))
			}
			n, err := strconv.Atoi(args[0])
			if err != nil {
				return usage(fmt.Errorf("%q is not the number of a patch; patches/%s/series has them in order, from 1", args[0], minor))
			}
			return app.beginEdit(cmd.Context(), r, minor, n)
		},
	}
	addMinorFlag(cmd, &minor)
	cmd.Flags().BoolVar(&goOn, "continue", false, "fold the tree's changes into the patch, apply the later patches, and write the series")
	cmd.Flags().BoolVar(&abort, "abort", false, "restore the tree")
	return cmd
}

func (a *app) beginEdit(ctx context.Context, r *kubetree.Repo, minor string, n int) error {
	if dir := r.TreeDir(minor, verdict.Fixed); patchset.Editing(dir) {
		return fmt.Errorf("a patch is being edited in %s; `%s`, or `%s`", dir, editCommand(r, minor, "--continue"), editCommand(r, minor, "--abort"))
	}
	series, err := patchset.Load(r.SeriesDir(minor))
	if err != nil {
		return err
	}
	if n < 1 || n > len(series.Patches) {
		return usage(fmt.Errorf("there is no patch %d; patches/%s/series has 1 to %d", n, minor, len(series.Patches)))
	}
	stock, fixed, err := r.Both(ctx, minor)
	if err != nil {
		return err
	}
	subject, err := patchset.Edit(ctx, fixed.Dir, stock.Commit, n)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.output, fixed.Dir)
	fmt.Fprintf(a.errs, "the tree is at patch %d, %q\nedit it, then run: %s\n", n, subject, editCommand(r, minor, "--continue"))
	return nil
}

func (a *app) continueEdit(ctx context.Context, r *kubetree.Repo, minor string) error {
	// Not Ensure: this tree has the edits.
	tree := r.TreeDir(minor, verdict.Fixed)
	if !patchset.Editing(tree) {
		return patchset.NotEditing(tree)
	}
	stock, err := r.Ensure(ctx, minor, verdict.Stock, nil)
	if err != nil {
		return err
	}
	err = patchset.ContinueEdit(ctx, tree)
	var c *patchset.Conflict
	if errors.As(err, &c) {
		return red(fmt.Errorf("%w\nResolve it there, then run: %s\nTo discard the edit: %s", err, editCommand(r, minor, "--continue"), editCommand(r, minor, "--abort")))
	}
	if err != nil {
		return err
	}
	return a.writeSeries(ctx, r, minor, tree, stock.Commit)
}

// editCommand returns a command line of kgrace patch edit.
func editCommand(r *kubetree.Repo, minor, flag string) string {
	return patchCommand(r, minor, "edit", flag)
}

// patchCommand returns a command line of kgrace patch to paste.
func patchCommand(r *kubetree.Repo, minor, command, flag string) string {
	line := "kgrace patch " + command
	if minor != r.Versions.Default {
		line += " --kubernetes " + minor
	}
	return line + " " + flag
}
