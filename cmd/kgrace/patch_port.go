// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

func newPatchPortCommand(app *app) *cobra.Command {
	var from, to, since string
	cmd := &cobra.Command{
		Use:   "port NUMBER --to MINOR",
		Short: "Port a change of one patch to another minor",
		Long: `Port a change of a patch of one minor, by its number there, to the patch with the same subject of another minor, with
three-way merging. The change is the difference between the patch as it is and as it was in the commit --since. The later
patches of the other minor are applied again, and its series is written.

It stops at a conflict and names file and hunk. Resolve the conflict in the marked file and run
kgrace patch edit --kubernetes MINOR --continue; --abort discards the change.

Prints the files of the series that were written.`,
		Example: "  kgrace patch port 4 --to v1.36\n  kgrace patch port 4 --from v1.38 --to v1.37 --since main~3",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.Atoi(args[0])
			if err != nil {
				return usage(fmt.Errorf("%q is not the number of a patch", args[0]))
			}
			r, from, err := app.seriesOf(from)
			if err != nil {
				return err
			}
			if _, err := r.Versions.Minor(to); err != nil || to == "" || to == from {
				return usage(errors.Join(fmt.Errorf("--to %q: want another minor than %s", to, from), err))
			}
			return app.port(cmd.Context(), r, from, to, since, n)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "minor whose patch has changed (default: the default minor)")
	cmd.Flags().StringVar(&to, "to", "", "minor to port the change to")
	cmd.Flags().StringVar(&since, "since", "HEAD", "commit of this repository with the patch before the change")
	return cmd
}

func (a *app) port(ctx context.Context, r *kubetree.Repo, from, to, since string, n int) error {
	series, err := patchset.Load(r.SeriesDir(from))
	if err != nil {
		return err
	}
	if n < 1 || n > len(series.Patches) {
		return usage(fmt.Errorf("there is no patch %d; patches/%s/series has 1 to %d", n, from, len(series.Patches)))
	}
	subject := series.Patches[n-1].Subject
	theirs, err := patchset.Load(r.SeriesDir(to))
	if err != nil {
		return err
	}
	place := slices.IndexFunc(theirs.Patches, func(p *patchset.Patch) bool { return p.Subject == subject })
	if place < 0 {
		return usage(fmt.Errorf("patches/%s has no patch %q", to, subject))
	}
	old, err := oldPatch(ctx, r, from, since, subject)
	if err != nil {
		return err
	}
	stock, fixed, err := r.Both(ctx, from)
	if err != nil {
		return err
	}
	if err := a.beginEdit(ctx, r, to, place+1); err != nil {
		return err
	}
	tree := r.TreeDir(to, verdict.Fixed)
	err = patchset.PatchChange{Tree: fixed.Dir, Base: stock.Commit, Number: n, Old: old}.Port(ctx, tree)
	var c *patchset.Conflict
	switch {
	case errors.As(err, &c):
		return red(fmt.Errorf("%w\nResolve it there, then run: %s\nTo discard the change: %s", err, editCommand(r, to, "--continue"), editCommand(r, to, "--abort")))
	case errors.Is(err, patchset.ErrNoChange):
		return errors.Join(fmt.Errorf("patch %d of %s is the same in %s: nothing to port", n, from, since), patchset.AbortEdit(ctx, tree))
	case err != nil:
		return errors.Join(err, patchset.AbortEdit(context.WithoutCancel(ctx), tree))
	}
	return a.continueEdit(ctx, r, to)
}

// oldPatch returns the patch with that subject from a commit of this repository.
func oldPatch(ctx context.Context, r *kubetree.Repo, minor, commit, subject string) ([]byte, error) {
	dir := "patches/" + minor + "/"
	names, err := tool.Git(ctx, r.Root, nil, "ls-tree", "--name-only", commit, dir)
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Fields(names) {
		if !strings.HasSuffix(name, ".patch") {
			continue
		}
		text, err := tool.Git(ctx, r.Root, nil, "show", commit+":"+name)
		if err != nil {
			return nil, err
		}
		if p, err := patchset.Parse(name, []byte(text)); err == nil && p.Subject == subject {
			return p.Data, nil
		}
	}
	return nil, fmt.Errorf("%s of commit %s has no patch %q", dir, commit, subject)
}
