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

// Apply applies the patches of the series, in order, to the git work tree in tree with git am. Three-way merging is off, so
// that git does not guess at a patch that no longer fits, but fails. The committer is fixed and its date is that of the
// author, so that the same base yields the same commits.
//
// The work tree must be clean (git-ignored files do not count). After any error, including an interrupt, the tree is back
// on its original commit, clean. The error for a patch that does not apply is an *ApplyError.
func (s *Series) Apply(ctx context.Context, tree string) error {
	if err := checkClean(ctx, tree); err != nil {
		return err
	}
	start, err := head(ctx, tree)
	if err != nil {
		return err
	}
	for i, p := range s.Patches {
		if err := s.applyOne(ctx, tree, p); err != nil {
			if undo := reset(context.WithoutCancel(ctx), tree, start); undo != nil {
				return errors.Join(err, fmt.Errorf("and the tree could not be reset to %s: %w; remove %s and lay it out again", start, undo, tree))
			}
			var failed *ApplyError
			if errors.As(err, &failed) && ctx.Err() == nil {
				failed.Index, failed.Total, failed.Dir, failed.Tree = i+1, len(s.Patches), s.Dir, tree
			}
			return err
		}
	}
	return nil
}

func (s *Series) applyOne(ctx context.Context, tree string, p *Patch) error {
	_, err := git(ctx, tree, p.Data, "am", "--quiet", "--no-3way", "--no-gpg-sign", "--no-keep-cr", "--no-scissors",
		"--no-signoff", "--committer-date-is-author-date")
	var failed *tool.Error
	if errors.As(err, &failed) && ctx.Err() == nil {
		return newApplyError(p, failed.Stdout+failed.Stderr)
	}
	return err
}

// checkClean returns an error for a tree that Apply could not restore.
func checkClean(ctx context.Context, tree string) error {
	top, err := git(ctx, tree, nil, "rev-parse", "--show-prefix", "--absolute-git-dir")
	if err != nil {
		return fmt.Errorf("%s is not a git work tree: %w", tree, err)
	}
	prefix, gitDir, _ := strings.Cut(strings.TrimRight(top, "\n"), "\n")
	if prefix != "" {
		return fmt.Errorf("%s is a directory inside another git work tree, not a work tree of its own: patches must not be applied there", tree)
	}
	for _, unfinished := range []string{"rebase-apply", "rebase-merge", "MERGE_HEAD", "CHERRY_PICK_HEAD"} {
		if _, err := os.Stat(filepath.Join(gitDir, unfinished)); err == nil {
			return fmt.Errorf("%s: a git am, rebase or merge is under way (%s); finish or abort it first (`git -C %s am --abort`)", tree, unfinished, tree)
		}
	}
	status, err := git(ctx, tree, nil, "status", "--porcelain")
	if err != nil {
		return err
	}
	if status != "" {
		return fmt.Errorf("%s has changes that are not committed; commit or discard them first:\n%s", tree, firstLines(status, 10))
	}
	return nil
}

func head(ctx context.Context, tree string) (string, error) {
	out, err := git(ctx, tree, nil, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return "", fmt.Errorf("%s has no commit to apply patches to: %w", tree, err)
	}
	return strings.TrimSpace(out), nil
}

// reset puts the tree back on commit, whatever state git am left it in. The tree was clean before, so a patch that stopped
// half-way left every untracked file.
func reset(ctx context.Context, tree, commit string) error {
	// This fails if no git am is under way, which is fine: there is nothing to quit.
	_, _ = git(ctx, tree, nil, "am", "--quit")
	if _, err := git(ctx, tree, nil, "reset", "--quiet", "--hard", commit); err != nil {
		return err
	}
	if _, err := git(ctx, tree, nil, "clean", "--quiet", "-d", "--force"); err != nil {
		return err
	}
	return checkClean(ctx, tree)
}

func firstLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > n {
		lines = append(lines[:n], fmt.Sprintf("… and %d more", len(lines)-n))
	}
	return strings.Join(lines, "\n")
}
