// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simbuild

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/kgrace/kgrace/internal/tool"
)

// oldMinor is a minor whose tree does not compile with this project's requirements: it needs older versions of client-go and
// the OpenAPI library. The suite is compiled with the tree's requirements alone, and with a build tag that selects the few
// files of ours for old interfaces; code of ours that needs more (Ginkgo, the random scenarios) is left out.
type oldMinor struct {
	tag string
	// ours are the modules that are taken in this project's version.
	ours []string
}

// oldMinors maps a minor to its oldMinor.
var oldMinors = map[string]oldMinor{
	// The simulated runtime uses CRI v1, whose current messages need both current protobuf modules.
	"v1.22": {tag: "kgrace_v122", ours: []string{"google.golang.org/protobuf", "github.com/golang/protobuf"}},
}

// Tags returns the build tags of a minor's suite.
func Tags(minor string) string {
	if old, ok := oldMinors[minor]; ok {
		return Tag + "," + old.tag
	}
	return Tag
}

// hint explains how a change in this project may have broken the suite of an old minor.
func hint(minor string, err error) string {
	if old, ok := oldMinors[minor]; ok && (strings.Contains(err.Error(), "updates to go.mod needed") || strings.Contains(err.Error(), "no required module provides")) {
		return fmt.Sprintf("\n  %s is compiled with its own tree's modules: an import of the suite needs another one; exclude it with the build tag !%s", minor, old.tag)
	}
	return ""
}

// Random reports whether a minor's suite can play random scenarios.
func Random(minor string) bool {
	_, old := oldMinors[minor]
	return !old
}

const criAPI = "k8s.io/cri-api"

// module returns the go.mod. A tree older than Go 1.17 lists only its direct imports, so ask the go command for all modules and
// their selected versions.
func (m oldMinor) module(ctx context.Context, o Options, ours, theirs []byte) ([]byte, error) {
	our, err := modfile.Parse("go.mod", ours, nil)
	if err != nil {
		return nil, err
	}
	g, err := modfile.Parse(filepath.Join(o.Tree, "go.mod"), theirs, nil)
	if err != nil {
		return nil, err
	}
	f := new(modfile.File)
	if err := errors.Join(f.AddModuleStmt(our.Module.Mod.Path), f.AddGoStmt(our.Go.Version)); err != nil {
		return nil, err
	}
	chosen, err := graph(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, path := range m.ours {
		version, err := tool.Go(ctx, o.Root, o.Toolchain, nil, "list", "-m", "-f", "{{.Version}}", path)
		if err != nil {
			return nil, err
		}
		chosen[path] = strings.TrimSpace(version)
	}
	for path, version := range chosen {
		f.AddNewRequire(path, version, false)
	}
	f.AddNewRequire(kubernetes, requiredAt(our, kubernetes), false)
	f.SortBlocks()
	cri, err := layCRI(ctx, o, requiredAt(our, criAPI), chosen[criAPI])
	if err != nil {
		return nil, err
	}
	skip := func(path string) bool { return path == criAPI || slices.Contains(m.ours, path) }
	err = errors.Join(repeatReplaces(f, g, o.Tree, skip), f.AddReplace(criAPI, "", cri, ""), f.AddReplace(kubernetes, "", o.Tree, ""))
	if err != nil {
		return nil, err
	}
	f.Cleanup()
	return f.Format()
}

// requiredAt returns the version at which a go.mod uses a module, replaced or not.
func requiredAt(f *modfile.File, path string) string {
	for _, r := range f.Replace {
		if r.Old.Path == path && r.New.Version != "" {
			return r.New.Version
		}
	}
	for _, r := range f.Require {
		if r.Mod.Path == path {
			return r.Mod.Version
		}
	}
	return ""
}

// graph returns every module of the tree with its selected version; replacements do not change that version.
func graph(ctx context.Context, o Options) (map[string]string, error) {
	out, err := tool.Go(ctx, o.Tree, o.Toolchain, nil, "list", "-m", "-json=Path,Version,Main", "all")
	if err != nil {
		return nil, fmt.Errorf("list the modules of %s: %w", o.Tree, err)
	}
	chosen := map[string]string{}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var one struct {
			Path, Version string
			Main          bool
		}
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			return chosen, nil
		} else if err != nil {
			return nil, fmt.Errorf("list the modules of %s: %w", o.Tree, err)
		}
		if !one.Main {
			chosen[one.Path] = one.Version
		}
	}
}

// language allows a current file to be compiled in a module that declares an old Go version.
const language = "//go:build go1.21\n\n"

// layCRI creates the directory of a module with the old minor's CRI packages and this project's messages of CRI v1: the kubelet
// of an old minor and the simulated runtime import different packages.
func layCRI(ctx context.Context, o Options, ours, theirs string) (string, error) {
	modules, err := tool.Download(ctx, o.Toolchain, criAPI+"@"+theirs, criAPI+"@"+ours)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(o.Dir, "cri-api")
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, os.DirFS(modules[0].Dir)); err != nil {
		return "", err
	}
	// CopyFS keeps the read-only modes of the module cache.
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = os.Chmod(path, 0o755)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	// Replace the old CRI v1, which nothing imports.
	v1 := filepath.Join("pkg", "apis", "runtime", "v1")
	if err := os.RemoveAll(filepath.Join(dir, v1)); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Join(dir, v1), 0o755); err != nil {
		return "", err
	}
	for _, name := range []string{"api.pb.go", "constants.go"} {
		data, err := os.ReadFile(filepath.Join(modules[1].Dir, v1, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, v1, name), append([]byte(language), data...), 0o644)
		}
		if err != nil {
			return "", err
		}
	}
	return dir, nil
}
