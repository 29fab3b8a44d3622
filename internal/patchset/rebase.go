// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// amState is where git keeps the state of a stopped git am, relative to the work tree.
const amState = ".git/rebase-apply"

// Rebase applies the series to a tree on another base with git am and three-way merging. The repository must contain the
// objects of the base that the series was written for. If a patch does not fit, the error is a *Conflict and the operation
// stops there; continue with ContinueRebase. Rebase skips a patch that the new base already contains.
func (s *Series) Rebase(ctx context.Context, tree string) error {
	if err := checkClean(ctx, tree); err != nil {
		return err
	}
	var mails bytes.Buffer
	for _, p := range s.Patches {
		mails.Write(p.Data)
	}
	_, err := git(ctx, tree, mails.Bytes(), "am", "--3way", "--no-gpg-sign", "--no-keep-cr", "--no-scissors", "--no-signoff",
		"--committer-date-is-author-date")
	return rebaseStop(ctx, tree, err)
}

// ContinueRebase takes the current tree as the result of the patch at which a Rebase has stopped, and continues with the
// next one.
func ContinueRebase(ctx context.Context, tree string) error {
	if _, err := os.Stat(filepath.Join(tree, amState)); errors.Is(err, fs.ErrNotExist) {
		// The user has finished it with git am.
		return checkClean(ctx, tree)
	}
	if err := stageResolved(ctx, tree); err != nil {
		return err
	}
	_, err := git(ctx, tree, nil, "am", "--continue")
	return rebaseStop(ctx, tree, err)
}

// rebaseStop returns the error for the patch at which git am has stopped.
func rebaseStop(ctx context.Context, tree string, err error) error {
	if err == nil {
		return nil
	}
	number := func(name string) int {
		data, _ := os.ReadFile(filepath.Join(tree, amState, name))
		n, _ := strconv.Atoi(strings.TrimSpace(string(data)))
		return n
	}
	index, total := number("next"), number("last")
	patch, readErr := os.ReadFile(filepath.Join(tree, amState, fmt.Sprintf("%04d", index)))
	if readErr != nil {
		return err
	}
	return conflictOf(ctx, tree, patch, index, total, err)
}

// Missing returns the subjects of the series that no commit between base and the tree's HEAD has.
func (s *Series) Missing(ctx context.Context, tree, base string) ([]string, error) {
	out, err := git(ctx, tree, nil, "log", "--format=%s", base+"..HEAD")
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, subject := range strings.Split(out, "\n") {
		has[subject] = true
	}
	var missing []string
	for _, p := range s.Patches {
		if !has[p.Subject] {
			missing = append(missing, p.Subject)
		}
	}
	return missing, nil
}
