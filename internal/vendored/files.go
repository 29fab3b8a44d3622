// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package vendored

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Update writes every copy that differs from the one that tree yields into the module at root, and returns their names.
func Update(tree, root, origin string, copies []Copy) ([]string, error) {
	var written []string
	for _, c := range copies {
		want, err := wanted(c, tree, origin, copies)
		if err != nil {
			return written, err
		}
		to := filepath.Join(root, filepath.FromSlash(c.To))
		have, err := os.ReadFile(to)
		if err == nil && bytes.Equal(have, want) {
			continue
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return written, err
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return written, err
		}
		if err := os.WriteFile(to, want, 0o644); err != nil {
			return written, err
		}
		written = append(written, c.To)
	}
	return written, nil
}

// Verify compares every copy in the module at root with the one that tree yields; the error names each that differs.
func Verify(tree, root, origin string, copies []Copy) error {
	var errs []error
	for _, c := range copies {
		want, err := wanted(c, tree, origin, copies)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		have, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(c.To)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			errs = append(errs, fmt.Errorf("%s is missing; run `kgrace update`", c.To))
		case err != nil:
			errs = append(errs, err)
		case !bytes.Equal(have, want):
			line, got, expect := difference(have, want)
			errs = append(errs, fmt.Errorf("%s:%d has drifted from %s of the fixed tree: have %q, want %q; make the change in the patch and run `kgrace update`", c.To, line, c.From, got, expect))
		}
	}
	errs = append(errs, unlisted(tree, copies)...)
	return errors.Join(errs...)
}

func wanted(c Copy, tree, origin string, copies []Copy) ([]byte, error) {
	src, err := os.ReadFile(filepath.Join(tree, filepath.FromSlash(c.From)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: the fixed tree has no such file; the list of copies is in internal/vendored/copies.go", c.From)
	}
	if err != nil {
		return nil, err
	}
	return Transform(c, src, origin, copies)
}

// unlisted returns an error for each file of an Own package in the tree that is not copied: the package here would differ.
func unlisted(tree string, copies []Copy) []error {
	listed := map[string]bool{}
	var dirs []string
	for _, c := range copies {
		listed[c.From] = true
		if dir := path.Dir(c.From); c.Own && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	var errs []error
	for _, dir := range dirs {
		entries, err := os.ReadDir(filepath.Join(tree, filepath.FromSlash(dir)))
		if err != nil {
			continue // wanted has already reported it
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			if !e.IsDir() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !listed[name] {
				errs = append(errs, fmt.Errorf("%s is in the fixed tree, but not copied; list it in internal/vendored/copies.go", name))
			}
		}
	}
	return errs
}

// difference returns the first line, counted from 1, at which two texts differ.
func difference(have, want []byte) (line int, got, expect string) {
	h, w := strings.Split(string(have), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(h), len(w)) {
		got, expect = "", ""
		if i < len(h) {
			got = h[i]
		}
		if i < len(w) {
			expect = w[i]
		}
		if got != expect || i >= len(h) || i >= len(w) {
			return i + 1, got, expect
		}
	}
	return 0, "", ""
}
