// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// tempPrefix marks directories under construction; while the lock is held, any such directory is a leftover.
const tempPrefix = ".tmp-"

// EditedError reports a tree with edits that laying it out again would destroy.
type EditedError struct {
	Dir  string
	Arm  verdict.Arm
	What string // how the tree differs
}

func (e *EditedError) Error() string {
	way := "commit them and extract the series (CONTRIBUTING.md), or discard them with `kgrace tree --reset`"
	if e.Arm == verdict.Stock {
		way = "the stock arm must equal the release; discard them with `kgrace tree --reset`"
	}
	return fmt.Sprintf("%s has edits that are not in its inputs (%s); %s", e.Dir, e.What, way)
}

// place makes t.Dir the tree that s describes, using build if needed, and sets t.Commit. The caller holds the lock.
func (r *Repo) place(ctx context.Context, t *Tree, s stamp, reset bool, build func(dir string) error) error {
	var old stamp
	known := ReadStamp(filepath.Join(t.Dir, stampFile), &old)
	edits := ""
	if known && !reset {
		var err error
		if edits, err = editsOf(ctx, t.Dir, old); err != nil {
			return err
		}
		if old.Inputs == s.Inputs {
			t.Commit = old.Commit
			if edits != "" {
				return &EditedError{Dir: t.Dir, Arm: t.Arm, What: edits}
			}
			return nil
		}
	}
	if err := r.NeedSpace(r.treesDir(), treeSpace, "a source tree"); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(r.treesDir(), tempPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	dir := filepath.Join(tmp, "tree")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := build(dir); err != nil {
		return err
	}
	if s.Commit, s.Content, err = head(ctx, dir); err != nil {
		return err
	}
	if edits != "" && !sameContent(ctx, t.Dir, s.Content) {
		return &EditedError{Dir: t.Dir, Arm: t.Arm, What: edits}
	}
	if err := WriteStamp(filepath.Join(dir, stampFile), s); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	t.Commit = s.Commit
	return swap(dir, t.Dir, filepath.Join(tmp, "old"))
}

// swap moves dir to dest and the old dest to aside, which is removed with the temporary directory. A crash between the two
// renames leaves no tree; the next run then lays it out.
func swap(dir, dest, aside string) error {
	if err := os.MkdirAll(filepath.Dir(dest), 0o755); err != nil {
		return err
	}
	if err := os.Rename(dest, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(dir, dest)
}

// editsOf describes how a tree differs from its stamp; "" means that it does not.
func editsOf(ctx context.Context, dir string, s stamp) (string, error) {
	status, err := tool.Git(ctx, dir, nil, "status", "--porcelain")
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return fmt.Sprintf("git cannot read it: %v", err), nil
	}
	if status != "" {
		return "changed files:\n" + firstLines(status, 5) + "\n", nil
	}
	commit, _, err := head(ctx, dir)
	if err != nil {
		return "", err
	}
	if commit != s.Commit {
		return fmt.Sprintf("its HEAD is %.12s, but %.12s was laid out", commit, s.Commit), nil
	}
	return "", nil
}

// CheckUnedited returns an *EditedError if the tree was edited while something was built from it.
func (t *Tree) CheckUnedited(ctx context.Context) error {
	edits, err := editsOf(ctx, t.Dir, stamp{Commit: t.Commit})
	if err != nil || edits == "" {
		return err
	}
	return &EditedError{Dir: t.Dir, Arm: t.Arm, What: "while it was being built: " + edits}
}

// sameContent reports whether a tree is clean and its commit contains exactly the given git tree: edits that are already in
// the inputs are safe to replace.
func sameContent(ctx context.Context, dir, content string) bool {
	status, err := tool.Git(ctx, dir, nil, "status", "--porcelain")
	if err != nil || status != "" {
		return false
	}
	_, have, err := head(ctx, dir)
	return err == nil && have == content
}

// removeLeftovers removes what a killed run left behind.
func (r *Repo) removeLeftovers() error {
	entries, err := os.ReadDir(r.treesDir())
	if errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(r.treesDir(), 0o755)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			if err := os.RemoveAll(filepath.Join(r.treesDir(), e.Name())); err != nil {
				return err
			}
		}
	}
	return err
}
