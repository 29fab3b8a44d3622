// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simbuild

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/kgrace/kgrace/internal/tool"
)

// seamSuffix keeps the seam files from being compiled in this repository.
const seamSuffix = ".seam"

// common is the directory of the seam files that all minors share.
const common = "common"

// oursDir is the directory in a seam for files of package simkubelet itself, not of the tree: they import modules that only the
// tree of that minor has.
const oursDir = "ours"

// seamDir returns the directory of a minor's seam, with paths as in the tree.
func seamDir(root, minor string) string {
	return filepath.Join(root, "internal", "simkubelet", "seam", minor)
}

// Minors returns the minors that have a seam.
func Minors(root string) ([]string, error) {
	dir := filepath.Dir(seamDir(root, common))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var known []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != common {
			known = append(known, e.Name())
		}
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("%s contains no seam", dir)
	}
	slices.SortFunc(known, semver.Compare)
	return known, nil
}

// writeOverlay writes the file for go's -overlay that adds the minor's seam to the tree: the common files, and those of the
// minor beside them or, if the path is the same, in their place.
func writeOverlay(path, root, minor, tree string) error {
	known, err := Minors(root)
	if err != nil {
		return err
	}
	if !slices.Contains(known, minor) {
		return fmt.Errorf("the sim level has no seam for %s; there is one for %s", minor, strings.Join(known, ", "))
	}
	replace := map[string]string{}
	for _, dir := range []string{common, minor} {
		if err := addSeam(replace, seamDir(root, dir), tree, root); err != nil {
			return err
		}
	}
	for to, from := range replace {
		if _, err := os.Stat(filepath.Dir(to)); err != nil {
			return fmt.Errorf("%s: the tree has no such package: %w", from, err)
		}
	}
	if len(replace) == 0 {
		return fmt.Errorf("%s contains no seam file", seamDir(root, minor))
	}
	return tool.WriteJSON(path, map[string]any{"Replace": replace})
}

// addSeam adds the files of one directory, which need not exist.
func addSeam(replace map[string]string, from, tree, root string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == from {
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if !strings.HasSuffix(rel, ".go"+seamSuffix) {
			return fmt.Errorf("%s: the name of a seam file must end in .go%s", path, seamSuffix)
		}
		to := tree
		if own, found := strings.CutPrefix(rel, oursDir+string(filepath.Separator)); found {
			to, rel = filepath.Join(root, "internal", "simkubelet"), own
		}
		replace[filepath.Join(to, strings.TrimSuffix(rel, seamSuffix))] = path
		return nil
	})
}
