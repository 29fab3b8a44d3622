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
	"regexp"
	"slices"
	"strings"
)

// format makes git format-patch print the same bytes for the same commits, regardless of the tree's history, the size of
// its object store or the user's preferences: no commit ids, full blob ids, no numbers, no version, no statistics, and
// renames as remove and add.
var format = []string{
	"format-patch", "--stdout", "-1",
	"--zero-commit", "--full-index", "--no-signature", "--no-numbered", "--no-stat", "--no-renames",
	"--unified=3", "--diff-algorithm=myers", "--indent-heuristic", "--src-prefix=a/", "--dst-prefix=b/",
	"--no-color", "--no-ext-diff", "--no-textconv", "--binary", "--no-relative", "--ignore-submodules=none",
	"--subject-prefix=PATCH", "--encode-email-headers", "--no-to", "--no-cc", "--no-add-header", "--no-attach", "--no-thread",
	"--no-signoff", "--no-base", "--no-notes", "--no-cover-letter", "--no-from",
}

// Changes lists what Extract did with the files of a directory, by name.
type Changes struct{ Written, Kept, Removed []string }

var patchName = regexp.MustCompile(`^\d{4}-.*\.patch$`)

// Extract writes the commits between base and the tree's HEAD as a series into dir: one patch per commit, named after its
// number and subject, and the file that lists them (its comments are kept). It does not touch files that would not change,
// and removes patch files that are no longer part of the series.
//
// The tree must be clean, because an uncommitted change would be lost silently, and its history from base must be linear.
func Extract(ctx context.Context, tree, base, dir string) (Changes, error) {
	var changes Changes
	files, err := extract(ctx, tree, base)
	if err != nil {
		return changes, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return changes, err
	}
	comments, err := seriesComments(dir)
	if err != nil {
		return changes, err
	}
	files[SeriesFile] = append(comments, files[SeriesFile]...)
	for _, name := range sortedNames(files) {
		path := filepath.Join(dir, name)
		old, err := os.ReadFile(path)
		if err == nil && bytes.Equal(old, files[name]) {
			changes.Kept = append(changes.Kept, name)
			continue
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return changes, err
		}
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			return changes, err
		}
		changes.Written = append(changes.Written, name)
	}
	stale, err := patchFiles(dir)
	if err != nil {
		return changes, err
	}
	for _, name := range stale {
		if _, ok := files[name]; ok {
			continue
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			return changes, err
		}
		changes.Removed = append(changes.Removed, name)
	}
	return changes, nil
}

// extract returns the files of a series: name to contents.
func extract(ctx context.Context, tree, base string) (map[string][]byte, error) {
	if err := checkClean(ctx, tree); err != nil {
		return nil, err
	}
	if _, err := git(ctx, tree, nil, "merge-base", "--is-ancestor", base, "HEAD"); err != nil {
		return nil, fmt.Errorf("%s: HEAD does not descend from %s, the commit the series starts from: %w", tree, base, err)
	}
	list := func(args ...string) ([]string, error) {
		out, err := git(ctx, tree, nil, append([]string{"rev-list", "--reverse"}, append(args, base+"..HEAD")...)...)
		return strings.Fields(out), err
	}
	merges, err := list("--merges")
	if err != nil {
		return nil, err
	}
	if len(merges) > 0 {
		return nil, fmt.Errorf("%s: %s is a merge; a series is linear: rebase onto %s first", tree, merges[0], base)
	}
	commits, err := list()
	if err != nil {
		return nil, err
	}
	if len(commits) == 0 {
		return nil, fmt.Errorf("%s has no commit on top of %s: there is nothing to extract", tree, base)
	}
	files := map[string][]byte{}
	var series bytes.Buffer
	for i, commit := range commits {
		out, err := git(ctx, tree, nil, append(slices.Clone(format), commit)...)
		if err != nil {
			return nil, err
		}
		p, err := Parse(commit, []byte(out))
		if err != nil {
			return nil, fmt.Errorf("commit %s in %s: %w", commit, tree, err)
		}
		name := FileName(i+1, p.Subject)
		files[name] = []byte(out)
		fmt.Fprintln(&series, name)
	}
	files[SeriesFile] = series.Bytes()
	return files, nil
}

// seriesComments returns the comment lines at the head of dir's series file, if there is one.
func seriesComments(dir string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(dir, SeriesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var comments []byte
	for line := range bytes.Lines(data) {
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && trimmed[0] != '#' {
			break
		}
		comments = append(comments, line...)
	}
	return comments, nil
}

// patchFiles returns the names of the patch files in dir, sorted.
func patchFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if patchName.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func sortedNames(files map[string][]byte) []string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
