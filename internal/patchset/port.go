// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
)

// PatchChange describes a change to one patch of a series: Old is the old patch, and Tree, with a linear history on top of
// Base, has the new one as commit Number, counted from 1.
type PatchChange struct {
	Tree, Base string
	Number     int
	Old        []byte
}

// ErrNoChange means that the patch is unchanged.
var ErrNoChange = errors.New("the patch has not changed")

// Port applies the change to another tree, which is stopped at the patch with the same subject (see Edit). It does not
// commit. If the change does not fit, the error is a *Conflict, with marks in the files. In either case, continue with
// ContinueEdit.
func (c PatchChange) Port(ctx context.Context, tree string) error {
	out, err := git(ctx, c.Tree, nil, "log", "--reverse", "--format=%H", c.Base+"..HEAD")
	if err != nil {
		return err
	}
	commits := strings.Fields(out)
	if c.Number < 1 || c.Number > len(commits) {
		return fmt.Errorf("no patch %d in %s; it has %d", c.Number, c.Tree, len(commits))
	}
	now := commits[c.Number-1]
	old, err := c.oldTree(ctx, now+"^")
	if err != nil {
		return err
	}
	change, err := git(ctx, c.Tree, nil, "diff", "--binary", "--full-index", "--no-color", "--no-ext-diff", "--no-renames", old, now)
	if err != nil {
		return err
	}
	if change == "" {
		return ErrNoChange
	}
	if err := c.copyBlobs(ctx, tree, old, now); err != nil {
		return err
	}
	_, err = git(ctx, tree, []byte(change), "apply", "--3way", "--index", "-")
	if err == nil {
		return nil
	}
	mail, showErr := git(ctx, c.Tree, nil, append(append([]string{}, format...), now)...)
	if showErr != nil {
		return errors.Join(err, showErr)
	}
	return conflictOf(ctx, tree, []byte(mail), c.Number, len(commits), err)
}

// oldTree returns the tree object of the commit before with the old patch on top.
func (c PatchChange) oldTree(ctx context.Context, before string) (string, error) {
	dir, err := os.MkdirTemp("", "kgrace-port-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	mail := filepath.Join(dir, "old.patch")
	if err := os.WriteFile(mail, c.Old, 0o600); err != nil {
		return "", err
	}
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	if _, err := tool.Git(ctx, c.Tree, index, "read-tree", before); err != nil {
		return "", err
	}
	if _, err := tool.Git(ctx, c.Tree, index, "apply", "--cached", mail); err != nil {
		return "", fmt.Errorf("the old patch does not apply to the commit before the new one; port the changes of earlier patches first: %w", err)
	}
	out, err := tool.Git(ctx, c.Tree, index, "write-tree")
	return strings.TrimSpace(out), err
}

// copyBlobs copies the blobs of both sides of the change into tree, so that git can merge there.
func (c PatchChange) copyBlobs(ctx context.Context, tree, old, now string) error {
	out, err := git(ctx, c.Tree, nil, "diff", "--raw", "--no-abbrev", "--no-renames", old, now)
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line) // :mode mode blob blob status path
		for _, blob := range fields[2:4] {
			if strings.Trim(blob, "0") == "" {
				continue
			}
			data, err := git(ctx, c.Tree, nil, "cat-file", "blob", blob)
			if err == nil {
				_, err = git(ctx, tree, []byte(data), "hash-object", "-w", "--stdin")
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
