// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/kubetree/verify"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/vendored"
	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

func newUpdateCommand(app *app) *cobra.Command {
	return &cobra.Command{
		Use:   "update",
		Short: "Update copied and generated files",
		Long: `Rewrite the copied and generated files that verify checks: the copies of the fixed tree in pkg/podworkers and
pkg/graceperiod, the tables in patches/README.md and docs/upstream, and the requirements of go.mod that versions.yaml decides.
Prints the files that changed.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := app.repo()
			if err != nil {
				return err
			}
			written, err := update(cmd.Context(), r)
			for _, name := range written {
				fmt.Fprintln(app.output, name)
			}
			return err
		},
	}
}

func update(ctx context.Context, r *kubetree.Repo) ([]string, error) {
	var written []string
	changed, err := versions.UpdateGoMod(r.Root)
	if changed {
		written = append(written, "go.mod")
	}
	if err != nil {
		return written, err
	}
	tree, err := r.Ensure(ctx, "", verdict.Fixed, nil)
	if err != nil {
		return written, err
	}
	copied, err := vendored.Update(tree.Dir, r.Root, origin(r), vendored.Copies)
	written = append(written, copied...)
	if err != nil {
		return written, err
	}
	have, want, err := patchTable(ctx, r)
	if err != nil {
		return written, err
	}
	if have != want {
		if err := os.WriteFile(filepath.Join(r.Root, patchReadme), []byte(want), 0o644); err != nil {
			return written, err
		}
		written = append(written, patchReadme)
	}
	docs, err := updateUpstreamDocs(r)
	return append(written, docs...), err
}

// patchReadme has the table of every series, between marks.
const patchReadme = "patches/README.md"

// patchTable returns the text of patches/README.md as it is and as it should be.
func patchTable(ctx context.Context, r *kubetree.Repo) (have, want string, err error) {
	data, err := os.ReadFile(filepath.Join(r.Root, patchReadme))
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", fmt.Errorf("%s is missing; it has the tables of the patches", patchReadme)
	}
	if err != nil {
		return "", "", err
	}
	have = string(data)
	want = have
	for _, minor := range r.Versions.MinorNames() {
		series, err := patchset.Load(r.SeriesDir(minor))
		if err != nil {
			return have, "", err
		}
		if want, err = series.Table(ctx, want, minor); err != nil {
			return have, "", fmt.Errorf("%s: %w", patchReadme, err)
		}
	}
	return have, want, nil
}

func checkPatchTable(ctx context.Context, r *kubetree.Repo) ([]string, error) {
	have, want, err := patchTable(ctx, r)
	if err != nil {
		return verify.Faults(err), nil
	}
	if have != want {
		return []string{patchReadme + ": the table does not match the patches; run `kgrace update`"}, nil
	}
	return nil, nil
}
