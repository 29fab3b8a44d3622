// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/kgrace/kgrace/internal/tool"
)

const (
	kubeModule = "k8s.io/kubernetes"
	// The version at which a staging module is required if a replacement decides.
	noVersion = "v0.0.0"
)

// StagingModules returns, sorted, the modules that Kubernetes' own go.mod replaces by its staging directories.
func StagingModules(kubernetes *modfile.File) []string {
	var found []string
	for _, r := range kubernetes.Replace {
		if strings.HasPrefix(r.New.Path, "./staging/src/") {
			found = append(found, r.Old.Path)
		}
	}
	slices.Sort(found)
	return found
}

// CheckGoMod checks that the main module at root is built against the default minor of its versions.yaml: it requires that
// version of k8s.io/kubernetes and its staging modules, and replaces every staging module, and no other module of k8s.io,
// by its published version. The error lists every line that differs and names the command that fixes it.
func CheckGoMod(root string) error {
	m, staging, f, err := loadGoMod(root)
	if err != nil {
		return err
	}
	if wrong := compareGoMod(f, m, staging); len(wrong) > 0 {
		return fmt.Errorf("go.mod does not agree with %s; `make update` fixes it:\n  %s", FileName, strings.Join(wrong, "\n  "))
	}
	return nil
}

// UpdateGoMod makes the go.mod at root agree with versions.yaml and, if that changed it, runs go mod tidy.
func UpdateGoMod(root string) (changed bool, err error) {
	m, staging, f, err := loadGoMod(root)
	if err != nil {
		return false, err
	}
	before, err := f.Format()
	if err != nil {
		return false, err
	}
	if err := mendGoMod(f, m, staging); err != nil {
		return false, err
	}
	after, err := f.Format()
	if err != nil || bytes.Equal(before, after) {
		return false, err
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), after, 0o644); err != nil {
		return false, err
	}
	_, err = tool.Go(context.Background(), root, m.Go, nil, "mod", "tidy")
	return true, err
}

// loadGoMod reads both files, and Kubernetes' go.mod for the list of its staging modules.
func loadGoMod(root string) (m Minor, staging []string, main *modfile.File, err error) {
	v, err := LoadRoot(root)
	if err != nil {
		return m, nil, nil, err
	}
	if m, err = v.Minor(""); err != nil {
		return m, nil, nil, err
	}
	if main, err = parseGoMod(filepath.Join(root, "go.mod")); err != nil {
		return m, nil, nil, err
	}
	mods, err := tool.Download(context.Background(), m.Go, kubeModule+"@"+m.Kubernetes)
	if err != nil {
		return m, nil, nil, err
	}
	kube, err := parseGoMod(mods[0].GoMod)
	if err != nil {
		return m, nil, nil, err
	}
	if staging = StagingModules(kube); len(staging) == 0 {
		err = fmt.Errorf("%s@%s lists no staging modules", kubeModule, m.Kubernetes)
	}
	return m, staging, main, err
}

func parseGoMod(path string) (*modfile.File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(path, data, nil)
}

// compareGoMod returns the differences.
func compareGoMod(f *modfile.File, m Minor, staging []string) []string {
	var wrong []string
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	kube := false
	for _, r := range f.Require {
		_, isStaging := slices.BinarySearch(staging, r.Mod.Path)
		switch {
		case r.Mod.Path == kubeModule:
			if kube = true; r.Mod.Version != m.Kubernetes {
				add("require %s %s, want %s", r.Mod.Path, r.Mod.Version, m.Kubernetes)
			}
		case isStaging && r.Mod.Version != m.Staging && r.Mod.Version != noVersion:
			add("require %s %s, want %s", r.Mod.Path, r.Mod.Version, m.Staging)
		}
	}
	if !kube {
		add("no requirement of %s, want %s", kubeModule, m.Kubernetes)
	}
	replaced := map[string]bool{}
	for _, r := range f.Replace {
		_, isStaging := slices.BinarySearch(staging, r.Old.Path)
		switch {
		case isStaging:
			replaced[r.Old.Path] = true
			if r.Old.Version != "" || r.New.Path != r.Old.Path || r.New.Version != m.Staging {
				add("replace %s => %s, want %s %s", strings.TrimSpace(r.Old.String()), r.New, r.Old.Path, m.Staging)
			}
		case strings.HasPrefix(r.Old.Path, "k8s.io/"):
			add("replace %s => %s: not a staging module of %s", r.Old.Path, r.New, m.Kubernetes)
		}
	}
	for _, p := range staging {
		if !replaced[p] {
			add("no replacement of %s, want %s %s", p, p, m.Staging)
		}
	}
	return wrong
}

// mendGoMod edits f so that compareGoMod finds no difference.
func mendGoMod(f *modfile.File, m Minor, staging []string) error {
	var errs []error
	for _, r := range slices.Clone(f.Replace) {
		if _, ok := slices.BinarySearch(staging, r.Old.Path); !ok && !strings.HasPrefix(r.Old.Path, "k8s.io/") {
			continue
		}
		if !slices.Contains(staging, r.Old.Path) || r.Old.Version != "" {
			errs = append(errs, f.DropReplace(r.Old.Path, r.Old.Version))
		}
	}
	for _, p := range staging {
		errs = append(errs, setReplace(f, module.Version{Path: p, Version: m.Staging}))
	}
	for _, r := range slices.Clone(f.Require) {
		if _, ok := slices.BinarySearch(staging, r.Mod.Path); ok && r.Mod.Version != noVersion {
			errs = append(errs, f.AddRequire(r.Mod.Path, m.Staging))
		}
	}
	errs = append(errs, f.AddRequire(kubeModule, m.Kubernetes))
	f.Cleanup()
	f.SortBlocks()
	return errors.Join(errs...)
}

// setReplace replaces a staging module by its published version. It adds a new line to the block of the others, which
// modfile does not do by itself.
func setReplace(f *modfile.File, mod module.Version) error {
	known := slices.ContainsFunc(f.Replace, func(r *modfile.Replace) bool { return r.Old.Path == mod.Path })
	for _, stmt := range f.Syntax.Stmt {
		block, ok := stmt.(*modfile.LineBlock)
		if known || !ok || block.Token[0] != "replace" || !slices.ContainsFunc(block.Line, isKubernetes) {
			continue
		}
		line := &modfile.Line{Token: []string{mod.Path, "=>", mod.Path, mod.Version}, InBlock: true}
		block.Line = append(block.Line, line)
		f.Replace = append(f.Replace, &modfile.Replace{Old: module.Version{Path: mod.Path}, New: mod, Syntax: line})
		return nil
	}
	return f.AddReplace(mod.Path, "", mod.Path, mod.Version)
}

func isKubernetes(l *modfile.Line) bool {
	return len(l.Token) > 0 && strings.HasPrefix(l.Token[0], "k8s.io/")
}
