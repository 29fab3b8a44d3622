// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package intree

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/patchset"
)

// Test is a test function that differs between the arms.
type Test struct {
	Package, Name string
	// New is true when stock has no test function of that name.
	New bool
}

// Packages returns the directories of the packages that a series changes: those whose tests can run on any machine, and those
// under test/, which need a node or a cluster.
func Packages(series *patchset.Series) (run, node []string) {
	for _, f := range series.Files() {
		if path.Ext(f.Path) != ".go" || f.Deleted {
			continue
		}
		dir := path.Dir(f.Path)
		list := &run
		if strings.HasPrefix(dir, "test/") {
			list = &node
		}
		if !slices.Contains(*list, dir) {
			*list = append(*list, dir)
		}
	}
	slices.Sort(run)
	slices.Sort(node)
	return run, node
}

// Changed returns the test functions of the packages that stock lacks, or that differ between the trees.
func Changed(stock, fixed string, packages []string) ([]Test, error) {
	var tests []Test
	for _, pkg := range packages {
		old, err := testFiles(filepath.Join(stock, filepath.FromSlash(pkg)))
		if err != nil {
			return nil, err
		}
		now, err := testFiles(filepath.Join(fixed, filepath.FromSlash(pkg)))
		if err != nil {
			return nil, err
		}
		known := index(old)
		for _, name := range sortedKeys(now) {
			s := now[name]
			for _, d := range s.decls {
				before, ok := known[s.pkg+" "+d.key]
				if d.test && before.text != d.text {
					tests = append(tests, Test{Package: pkg, Name: d.key, New: !ok})
				}
			}
		}
	}
	return tests, nil
}

// index maps "package key" to the declarations of some files.
func index(files map[string]*source) map[string]decl {
	m := map[string]decl{}
	for _, s := range files {
		for _, d := range s.decls {
			m[s.pkg+" "+d.key] = d
		}
	}
	return m
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
