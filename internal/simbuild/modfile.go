// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simbuild

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/kgrace/kgrace/internal/tool"
)

const kubernetes = "k8s.io/kubernetes"

// module returns the go.mod that puts a tree in place of k8s.io/kubernetes: ours, with every requirement of the tree (the
// higher of two versions), and the staging modules at the tree's version. It resolves and fetches nothing: the build must not
// depend on the current content of a proxy.
func module(ours, theirs []byte, minor, tree, staging string) ([]byte, error) {
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
		inTree[r.Mod.Path] = inTree[r.Mod.Path] || r.Mod.Version == staging && !replacedByDirectory(g, r.Mod.Path)
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
	for _, path := range asInTree[minor] {
		if err := f.AddReplace(path, "", path, requiredAt(g, path)); err != nil {
			return nil, err
		}
	}
	// Replacements hold only in the main module, so repeat the tree's.
	if err := repeatReplaces(f, g, tree, func(path string) bool { return inTree[path] }); err != nil {
		return nil, err
	}
	if g.Go != nil && f.Go != nil && semver.Compare("v"+f.Go.Version, "v"+g.Go.Version) < 0 {
		if err := f.AddGoStmt(g.Go.Version); err != nil {
			return nil, err
		}
	}
	// Only the main module's godebug settings apply, so take those of the kubelet's own build.
	for _, d := range g.Godebug {
		if err := f.AddGodebug(d.Key, d.Value); err != nil {
			return nil, err
		}
	}
	f.Cleanup()
	return f.Format()
}

// replacedByDirectory reports whether a go.mod replaces a module by a local directory, which is a stub in a tree.
func replacedByDirectory(f *modfile.File, path string) bool {
	return slices.ContainsFunc(f.Replace, func(r *modfile.Replace) bool { return r.Old.Path == path && r.New.Version == "" })
}

// repeatReplaces adds the replacements of one go.mod to another, except those of modules to skip. Directories are named as seen
// from outside of the tree.
func repeatReplaces(f, of *modfile.File, tree string, skip func(path string) bool) error {
	for _, r := range of.Replace {
		if skip(r.Old.Path) {
			continue
		}
		to := r.New
		if to.Version == "" && !filepath.IsAbs(to.Path) {
			to.Path = filepath.Join(tree, to.Path)
		}
		if err := f.AddReplace(r.Old.Path, r.Old.Version, to.Path, to.Version); err != nil {
			return err
		}
	}
	return nil
}

// asInTree lists modules of which this project's other requirements select a newer version that the tree does not compile with.
// Only the tree uses them.
var asInTree = map[string][]string{
	// cgroups v0.0.7 made a limit a pointer; the CSI spec has no volume conditions since v1.12.0.
	"v1.35": {"github.com/opencontainers/cgroups", "github.com/container-storage-interface/spec"},
	"v1.36": {"github.com/container-storage-interface/spec"},
}

// sums returns the sorted union of go.sum files.
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

// writeModule writes go.mod and go.sum into the suite's directory.
func (o Options) writeModule(ctx context.Context) error {
	var files [4][]byte
	for i, path := range []string{filepath.Join(o.Root, "go.mod"), filepath.Join(o.Tree, "go.mod"),
		filepath.Join(o.Root, "go.sum"), filepath.Join(o.Tree, "go.sum")} {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files[i] = data
	}
	var mod []byte
	var err error
	if old, ok := oldMinors[o.Minor]; ok {
		mod, err = old.module(ctx, o, files[0], files[1])
	} else {
		mod, err = module(files[0], files[1], o.Minor, o.Tree, o.Staging)
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.Dir, "go.mod"), mod, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.Dir, "go.sum"), sums(files[2], files[3]), 0o644); err != nil {
		return err
	}
	return o.settle(ctx, mod)
}

// settle makes the go command raise the few requirements that are too low in both go.mod files for both together, and adds the
// checksums of those modules. The versions follow from the requirements of both, not from the current content of a proxy. There
// are none to raise if the tree is of the minor that this project requires itself, or if all modules are the tree's own.
func (o Options) settle(ctx context.Context, before []byte) error {
	path := filepath.Join(o.Dir, "go.mod")
	if _, err := tool.Go(ctx, o.Root, o.Toolchain, nil, "list", "-mod=mod", "-modfile", path, "-m", "all"); err != nil {
		return fmt.Errorf("settle the versions of modules: %w", err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	raised, err := raised(before, after)
	if err != nil || len(raised) == 0 {
		return err
	}
	modules, err := tool.Download(ctx, o.Toolchain, raised...)
	if err != nil {
		return err
	}
	sum := filepath.Join(o.Dir, "go.sum")
	lines, err := os.ReadFile(sum)
	if err != nil {
		return err
	}
	var more strings.Builder
	for _, m := range modules {
		fmt.Fprintf(&more, "%s %s %s\n%[1]s %[2]s/go.mod %[4]s\n", m.Path, m.Version, m.Sum, m.GoModSum)
	}
	return os.WriteFile(sum, sums(lines, []byte(more.String())), 0o644)
}

// raised returns, as path@version, the requirements of a go.mod whose version has changed.
func raised(before, after []byte) ([]string, error) {
	old, err := modfile.Parse("go.mod", before, nil)
	if err != nil {
		return nil, err
	}
	now, err := modfile.Parse("go.mod", after, nil)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, r := range now.Require {
		if requiredAt(now, r.Mod.Path) == r.Mod.Version && !slices.ContainsFunc(old.Require, func(o *modfile.Require) bool { return o.Mod == r.Mod }) {
			all = append(all, r.Mod.String())
		}
	}
	return all, nil
}
