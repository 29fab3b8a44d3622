// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// editState is where git keeps the state of a stopped rebase, relative to the work tree.
const editState = ".git/rebase-merge"

// Edit checks out commit n, counted from 1, of the tree's linear history on top of base and sets the later commits aside.
// It returns that commit's subject. Continue with ContinueEdit or AbortEdit.
func Edit(ctx context.Context, tree, base string, n int) (subject string, err error) {
	if err := checkClean(ctx, tree); err != nil {
		return "", err
	}
	out, err := git(ctx, tree, nil, "log", "--reverse", "--format=%H %s", base+"..HEAD")
	if err != nil {
		return "", err
	}
	commits := strings.Split(strings.TrimSpace(out), "\n")
	if n < 1 || n > len(commits) || out == "" {
		return "", fmt.Errorf("no patch %d in %s; the patches are:\n  %s", n, tree, strings.Join(numbered(commits), "\n  "))
	}
	commit, subject, _ := strings.Cut(commits[n-1], " ")
	// The first line of the todo list is the commit to edit.
	_, err = git(ctx, tree, nil, "-c", "sequence.editor=sed -i -e 1s/^pick/edit/", "-c", "rebase.abbreviateCommands=false",
		"-c", "rebase.autoSquash=false", "-c", "rebase.updateRefs=false", "rebase", "--interactive", commit+"^")
	return subject, err
}

// numbered returns the commits' subjects with their numbers, for people.
func numbered(commits []string) []string {
	lines := make([]string, 0, len(commits))
	for i, c := range commits {
		_, subject, _ := strings.Cut(c, " ")
		lines = append(lines, fmt.Sprintf("%d  %s", i+1, subject))
	}
	return lines
}

// ContinueEdit adds every change in the tree to the current patch and applies the later ones on top. If one no longer fits,
// the error is a *Conflict; after resolving it, call ContinueEdit again.
func ContinueEdit(ctx context.Context, tree string) error {
	state := filepath.Join(tree, editState)
	if !Editing(tree) {
		return NotEditing(tree)
	}
	if err := stageResolved(ctx, tree); err != nil {
		return err
	}
	// git creates this file when it stops at an edit command, and not at a conflict.
	if _, err := os.Stat(filepath.Join(state, "amend")); err == nil {
		if _, err := git(ctx, tree, nil, "commit", "--quiet", "--amend", "--no-edit", "--no-verify", "--allow-empty"); err != nil {
			return err
		}
	}
	_, err := gitEditor(ctx, tree, "true", nil, "rebase", "--continue")
	if err == nil {
		return nil
	}
	number := func(name string) int {
		data, _ := os.ReadFile(filepath.Join(state, name))
		n, _ := strconv.Atoi(strings.TrimSpace(string(data)))
		return n
	}
	patch, showErr := git(ctx, tree, nil, append(append([]string{}, format...), "REBASE_HEAD")...)
	if showErr != nil {
		return err
	}
	return conflictOf(ctx, tree, []byte(patch), number("msgnum"), number("end"), err)
}

// AbortEdit discards all changes since Edit.
func AbortEdit(ctx context.Context, tree string) error {
	if !Editing(tree) {
		return NotEditing(tree)
	}
	_, err := git(ctx, tree, nil, "rebase", "--abort")
	return err
}

// NotEditing is the error of ContinueEdit and AbortEdit if no patch of the tree is being edited.
func NotEditing(tree string) error {
	return fmt.Errorf("%s: no patch is being edited; begin with `kgrace patch edit NUMBER`", tree)
}

// Editing reports whether a patch of the tree is being edited.
func Editing(tree string) bool {
	_, err := os.Stat(filepath.Join(tree, editState))
	return err == nil
}
