// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/versions"
)

func newPatchRebaseCommand(app *app) *cobra.Command {
	var minor, to string
	var goOn, abort bool
	cmd := &cobra.Command{
		Use:   "rebase --to vX.Y.Z | --continue | --abort",
		Short: "Move the series to another release of its minor",
		Long: `Move the series to another release of its minor: lay out that release in a directory of its own, apply the patches with
three-way merging, write them as the series, and pin the release in versions.yaml.

It stops at a conflict and names file and hunk. Resolve the conflict in the marked file and --continue. A patch that the release
already has is left out and named. Until all patches apply, neither the series nor versions.yaml changes; --abort removes the
directory.

Prints the files of the series that were written.`,
		Example: "  kgrace patch rebase --kubernetes v1.36 --to v1.36.5\n  kgrace patch rebase --kubernetes v1.36 --continue",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, minor, err := app.seriesOf(minor)
			if err != nil {
				return err
			}
			rb := &rebase{app: app, r: r, minor: minor, dir: filepath.Join(r.Output, "rebase", minor)}
			switch {
			case goOn && !abort && to == "":
				return rb.goOn(cmd.Context())
			case abort && !goOn && to == "":
				return rb.abort()
			case to != "" && !goOn && !abort:
				return rb.begin(cmd.Context(), to)
			}
			return usage(errors.New("want one of: --to with a tag, --continue, --abort"))
		},
	}
	addMinorFlag(cmd, &minor)
	cmd.Flags().StringVar(&to, "to", "", "tag to move to")
	cmd.Flags().BoolVar(&goOn, "continue", false, "use the content of the directory for the patch that it stopped at, and continue")
	cmd.Flags().BoolVar(&abort, "abort", false, "keep the series as it is and remove the directory")
	return cmd
}

// rebase is one move of one series. Its directory holds the tree and the state for --continue.
type rebase struct {
	app   *app
	r     *kubetree.Repo
	minor string
	dir   string
}

// rebaseState is the state for --continue.
type rebaseState struct {
	To   string `json:"to"`   // the tag
	Base string `json:"base"` // its commit in the tree
}

func (rb *rebase) tree() string  { return filepath.Join(rb.dir, "tree") }
func (rb *rebase) state() string { return filepath.Join(rb.dir, "rebase.json") }

func (rb *rebase) begin(ctx context.Context, to string) error {
	if _, err := os.Stat(rb.state()); err == nil {
		return fmt.Errorf("a rebase is under way in %s; `%s`, or `%s`", rb.tree(), rb.command("--continue"), rb.command("--abort"))
	}
	m, err := rb.r.Versions.Minors[rb.minor].Move(to)
	if err != nil {
		return usage(err)
	}
	series, err := patchset.Load(rb.r.SeriesDir(rb.minor))
	if err != nil {
		return err
	}
	// Without a state file the directory is left over from an interrupted run.
	if err := os.RemoveAll(rb.dir); err != nil {
		return err
	}
	base, err := rb.r.Upstream(ctx, rb.minor, m, rb.tree())
	if err != nil {
		return errors.Join(err, os.RemoveAll(rb.dir))
	}
	data, err := json.Marshal(rebaseState{To: to, Base: base})
	if err != nil {
		return err
	}
	if err := os.WriteFile(rb.state(), data, 0o644); err != nil {
		return err
	}
	return rb.finish(ctx, series, rebaseState{To: to, Base: base}, series.Rebase(ctx, rb.tree()))
}

func (rb *rebase) abort() error {
	if _, err := os.Stat(rb.dir); errors.Is(err, fs.ErrNotExist) {
		return rb.none()
	}
	return os.RemoveAll(rb.dir)
}

func (rb *rebase) none() error {
	return fmt.Errorf("no rebase of %s is under way; begin with `%s`", rb.minor, rb.command("--to TAG"))
}

func (rb *rebase) goOn(ctx context.Context) error {
	data, err := os.ReadFile(rb.state())
	if errors.Is(err, fs.ErrNotExist) {
		return rb.none()
	}
	var state rebaseState
	if err == nil {
		err = json.Unmarshal(data, &state)
	}
	if err != nil {
		return fmt.Errorf("%s: %w; `%s` removes it", rb.state(), err, rb.command("--abort"))
	}
	series, err := patchset.Load(rb.r.SeriesDir(rb.minor))
	if err != nil {
		return err
	}
	return rb.finish(ctx, series, state, patchset.ContinueRebase(ctx, rb.tree()))
}

// finish reports a conflict, or writes the result.
func (rb *rebase) finish(ctx context.Context, series *patchset.Series, state rebaseState, err error) error {
	var c *patchset.Conflict
	if errors.As(err, &c) {
		return red(fmt.Errorf("%w\nResolve it there, then run: %s\nIf the release makes the patch unnecessary, leave it out: git -C %s am --skip && %s\nTo give up: %s",
			err, rb.command("--continue"), rb.tree(), rb.command("--continue"), rb.command("--abort")))
	}
	if err != nil {
		return err
	}
	missing, err := series.Missing(ctx, rb.tree(), state.Base)
	if err != nil {
		return err
	}
	for _, subject := range missing {
		fmt.Fprintf(rb.app.errs, "left out: %q; if %s replaces it, its tests must pass on stock\n", subject, state.To)
	}
	if err := rb.app.writeSeries(ctx, rb.r, rb.minor, rb.tree(), state.Base); err != nil {
		return err
	}
	if err := versions.Retag(rb.r.Root, rb.minor, state.To); err != nil {
		return err
	}
	fmt.Fprintln(rb.app.output, "wrote", versions.FileName)
	if upstream, err := os.ReadFile(filepath.Join(rb.tree(), ".go-version")); err == nil {
		if goes := "go" + string(bytes.TrimSpace(upstream)); goes != rb.r.Versions.Minors[rb.minor].Go {
			fmt.Fprintf(rb.app.errs, "upstream releases %s with %s; %s pins %s\n", state.To, goes, versions.FileName, rb.r.Versions.Minors[rb.minor].Go)
		}
	}
	fmt.Fprintf(rb.app.errs, "%s is based on %s now; prove it: make update verify && kgrace intree --kubernetes %s\n", rb.minor, state.To, rb.minor)
	return os.RemoveAll(rb.dir)
}

func (rb *rebase) command(flag string) string { return patchCommand(rb.r, rb.minor, "rebase", flag) }
