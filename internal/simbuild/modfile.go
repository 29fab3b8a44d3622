/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package simbuild

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

const kubernetes = "k8s.io/kubernetes"

// module makes the go.mod that puts a tree in the place of k8s.io/kubernetes: ours, with every requirement of the tree's
// beside it (the higher version of two), and the staging modules at the tree's version. Nothing is resolved or fetched
// for it: the build must not depend on what a proxy has today.
func module(ours, theirs []byte, tree, staging string) ([]byte, error) {
	f, err := modfile.Parse("go.mod", ours, nil)
	if err != nil {
		return nil, err
	}
	g, err := modfile.Parse(filepath.Join(tree, "go.mod"), theirs, nil)
	if err != nil {
		return nil, err
	}
	inTree := map[string]bool{}
	for _, r := range g.Require {
		inTree[r.Mod.Path] = inTree[r.Mod.Path] || r.Mod.Version == staging
	}
	// Our replacements name the staging modules of the default minor.
	for _, r := range slices.Clone(f.Replace) {
		old := r.Old // dropping clears r
		if err := f.DropReplace(old.Path, old.Version); err != nil {
			return nil, err
		}
		if !inTree[old.Path] {
			if err := f.DropRequire(old.Path); err != nil {
				return nil, err
			}
		}
	}
	f.Cleanup()
	want := map[string]string{}
	for _, r := range append(slices.Clone(f.Require), g.Require...) {
		if v, ok := want[r.Mod.Path]; !ok || semver.Compare(v, r.Mod.Version) < 0 {
			want[r.Mod.Path] = r.Mod.Version
		}
	}
	for path := range inTree {
		if inTree[path] {
			want[path] = staging
		}
	}
	paths := make([]string, 0, len(want))
	for path := range want {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		if err := f.AddRequire(path, want[path]); err != nil {
			return nil, err
		}
		if inTree[path] {
			if err := f.AddReplace(path, "", path, staging); err != nil {
				return nil, err
			}
		}
	}
	if !slices.ContainsFunc(f.Require, func(r *modfile.Require) bool { return r.Mod.Path == kubernetes }) {
		return nil, fmt.Errorf("go.mod does not require %s", kubernetes)
	}
	if err := f.AddReplace(kubernetes, "", tree, ""); err != nil {
		return nil, err
	}
	// Replacements of the tree's own hold only in its main module, so they are repeated.
	for _, r := range g.Replace {
		if r.New.Version != "" && !inTree[r.Old.Path] {
			if err := f.AddReplace(r.Old.Path, r.Old.Version, r.New.Path, r.New.Version); err != nil {
				return nil, err
			}
		} else if r.New.Version == "" {
			return nil, fmt.Errorf("%s replaces %s by the folder %s; the sim level cannot follow that yet", g.Syntax.Name, r.Old.Path, r.New.Path)
		}
	}
	if g.Go != nil && f.Go != nil && semver.Compare("v"+f.Go.Version, "v"+g.Go.Version) < 0 {
		if err := f.AddGoStmt(g.Go.Version); err != nil {
			return nil, err
		}
	}
	// Godebug settings are the main module's: those of the kubelet's own build hold here too.
	for _, d := range g.Godebug {
		if err := f.AddGodebug(d.Key, d.Value); err != nil {
			return nil, err
		}
	}
	f.Cleanup()
	return f.Format()
}

// sums is the union of go.sum files, sorted.
func sums(files ...[]byte) []byte {
	var lines []string
	for _, file := range files {
		for line := range strings.Lines(string(file)) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	slices.Sort(lines)
	return []byte(strings.TrimSpace(strings.Join(slices.Compact(lines), "\n")) + "\n")
}

// writeModule writes go.mod and go.sum into dir.
func writeModule(dir, root, tree, staging string) error {
	var files [4][]byte
	for i, path := range []string{filepath.Join(root, "go.mod"), filepath.Join(tree, "go.mod"),
		filepath.Join(root, "go.sum"), filepath.Join(tree, "go.sum")} {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files[i] = data
	}
	mod, err := module(files[0], files[1], tree, staging)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), mod, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), sums(files[2], files[3]), 0o644)
}
