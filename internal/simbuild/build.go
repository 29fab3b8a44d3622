// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simbuild

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Tag is the build tag of everything that compiles only with a tree in place of k8s.io/kubernetes.
const Tag = "kgrace_sim"

// suitePackage is the package to compile.
const suitePackage = "./test/regression/sim"

// sources are the directories of this project whose files go into a suite.
var sources = []string{"internal", "pkg", "test/regression/sim"}

// Options describe a build.
type Options struct {
	// Root is the checkout of this project, Tree the tree to use in place of k8s.io/kubernetes.
	Root, Tree string
	// Minor selects the seam; Staging is the version of the tree's staging modules, Toolchain the Go toolchain.
	Minor, Staging, Toolchain string
	// Commit identifies the content of the tree. If it is "", the suite is always compiled.
	Commit string
	// Dir receives the generated files and the suite.
	Dir string
	// Package is the package to compile; "" is the suite.
	Package string
}

// Build compiles the suite of an arm, creating its tree if needed, and returns the path of the test binary. It keeps a binary
// that was compiled from the same inputs.
func Build(ctx context.Context, r *kubetree.Repo, minor string, arm verdict.Arm) (string, error) {
	tree, err := r.Ensure(ctx, minor, arm, nil)
	if err != nil {
		return "", err
	}
	pins, err := r.Versions.Minor(tree.Minor)
	if err != nil {
		return "", err
	}
	o := Options{Root: r.Root, Tree: tree.Dir, Minor: tree.Minor, Staging: pins.Staging, Toolchain: pins.Go, Commit: tree.Commit,
		Dir: filepath.Join(r.Output, "sim", tree.Minor, string(arm))}
	if path, ok := o.kept(); ok {
		return path, nil
	}
	unlock, err := r.LockBuild(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	if r.Progress != nil {
		fmt.Fprintf(r.Progress, "sim: compile the suite with %s's kubelet (minutes when the build cache is cold)\n", arm)
		defer tool.Heartbeat(time.Now(), func(running time.Duration) {
			fmt.Fprintf(r.Progress, "sim: compile the suite with %s's kubelet: running for %s\n", arm, running)
		})()
	}
	return Compile(ctx, o)
}

// Compile compiles the suite, unless Dir has one that was compiled from the same inputs.
func Compile(ctx context.Context, o Options) (string, error) {
	if path, ok := o.kept(); ok {
		return path, nil
	}
	if err := o.generate(ctx); err != nil {
		return "", fmt.Errorf("sim level on %s: %w", o.Tree, err)
	}
	key, err := o.key()
	if err != nil {
		return "", err
	}
	pkg := o.Package
	if pkg == "" {
		pkg = suitePackage
	}
	if err := os.Remove(o.stamp()); err != nil && !os.IsNotExist(err) {
		return "", err
	}
	// Without vet, which would check every package of the kubelet first; only our own suite needs it.
	_, err = tool.Go(ctx, o.Root, o.Toolchain, nil, "test", "-c", "-vet=off", "-tags", Tags(o.Minor), "-modfile", filepath.Join(o.Dir, "go.mod"),
		"-overlay", filepath.Join(o.Dir, "overlay.json"), "-o", o.suite(), pkg)
	if err != nil {
		return "", fmt.Errorf("compile the sim suite with %s: %w%s", o.Tree, err, hint(o.Minor, err))
	}
	info, err := os.Stat(o.suite())
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(stamp{Inputs: key, Size: info.Size()})
	if err != nil {
		return "", err
	}
	return o.suite(), os.WriteFile(o.stamp(), data, 0o644)
}

func (o Options) suite() string { return filepath.Join(o.Dir, "sim.test") }
func (o Options) stamp() string { return filepath.Join(o.Dir, "sim.test.json") }

// stamp records the inputs of a suite. Size detects a binary that was cut short or replaced.
type stamp struct {
	Inputs string `json:"inputs"`
	Size   int64  `json:"size"`
}

// kept reports whether the suite exists and was compiled from the current inputs.
func (o Options) kept() (string, bool) {
	if o.Commit == "" {
		return "", false
	}
	var s stamp
	data, err := os.ReadFile(o.stamp())
	if err != nil || json.Unmarshal(data, &s) != nil {
		return "", false
	}
	info, err := os.Stat(o.suite())
	if err != nil || info.Size() != s.Size {
		return "", false
	}
	key, err := o.key()
	return o.suite(), err == nil && key == s.Inputs
}

// generate writes go.mod, go.sum and the overlay.
func (o Options) generate(ctx context.Context) error {
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return err
	}
	if err := o.writeModule(ctx); err != nil {
		return err
	}
	return writeOverlay(filepath.Join(o.Dir, "overlay.json"), o.Root, o.Minor, o.Tree)
}

// key hashes all inputs of a suite. It includes files that only tests of other packages read: hashing is cheap.
func (o Options) key() (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, o.Tree, o.Minor, o.Staging, o.Toolchain, o.Commit, o.Package)
	files := []string{filepath.Join(o.Root, "go.mod"), filepath.Join(o.Root, "go.sum")}
	for _, dir := range sources {
		err := filepath.WalkDir(filepath.Join(o.Root, dir), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() && !strings.Contains(path, "/testdata/") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	slices.Sort(files)
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(hash, path)
		_, err = io.Copy(hash, f)
		f.Close()
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
