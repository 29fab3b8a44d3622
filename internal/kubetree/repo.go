// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetree

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

// Environment variables that set input and output directories.
const (
	// SourceVar names a git checkout of Kubernetes from which to lay out the trees, instead of the Go module.
	SourceVar = "KUBE_SRC"
	// OutputVar names the output directory instead of _output.
	OutputVar = "KGRACE_OUTPUT"
)

// Repo is a checkout of this project together with its output directory.
type Repo struct {
	// Root is the directory of the checkout, which contains versions.yaml and patches/.
	Root string
	// Output is the directory of trees and binaries, normally Root/_output.
	Output string
	// Source is a git checkout of Kubernetes at the tag; empty means the Go module.
	Source string
	// Versions are the pins; nil means Root/versions.yaml, read when needed.
	Versions *versions.File
	// Progress receives one line per step; nil discards them.
	Progress io.Writer

	// FreeSpace measures the free space in a directory, in bytes; nil means what the file system reports. Tests set it.
	FreeSpace func(dir string) (uint64, error)
}

// Open returns the Repo of the checkout at root, with settings from the environment.
func Open(root string) (*Repo, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	v, err := versions.LoadRoot(root)
	if err != nil {
		return nil, err
	}
	r := &Repo{Root: root, Output: filepath.Join(root, "_output"), Source: os.Getenv(SourceVar), Versions: v}
	if dir := os.Getenv(OutputVar); dir != "" {
		if r.Output, err = filepath.Abs(dir); err != nil {
			return nil, err
		}
	}
	return r, r.checkSource()
}

// checkSource refuses at once a Source that is not Kubernetes; gitSource checks the rest, which takes git and the minor's tag.
func (r *Repo) checkSource() error {
	if r.Source == "" {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(r.Source, "go.mod"))
	if err == nil && modfile.ModulePath(data) == kubeModule {
		return nil
	}
	what := "it has no go.mod of " + kubeModule
	if fi, err := os.Stat(r.Source); err != nil || !fi.IsDir() {
		what = "there is no such directory"
	}
	return fmt.Errorf("%s=%s is not a git checkout of Kubernetes: %s; name one, or unset %s to use the Go module", SourceVar, r.Source, what, SourceVar)
}

// TreeDir returns the directory of an arm's tree, whether or not it exists.
func (r *Repo) TreeDir(minor string, arm verdict.Arm) string {
	return filepath.Join(r.Output, "trees", minor, string(arm))
}

// SeriesDir returns the directory of a minor's patches.
func (r *Repo) SeriesDir(minor string) string {
	return filepath.Join(r.Root, "patches", minor)
}

// ToolVersion returns the version of this project for documents about what it built: the commit of the checkout, with
// "-dirty" if files differ from it.
func (r *Repo) ToolVersion(ctx context.Context) string {
	commit, err := tool.Git(ctx, r.Root, nil, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
	if err != nil {
		return "unknown" // not a git checkout
	}
	return strings.TrimSpace(commit)
}

// Resolve returns the name of the minor ("" means the default one) and its pins.
func (r *Repo) Resolve(minor string) (string, versions.Minor, error) {
	if r.Versions == nil {
		v, err := versions.LoadRoot(r.Root)
		if err != nil {
			return "", versions.Minor{}, err
		}
		r.Versions = v
	}
	if minor == "" {
		minor = r.Versions.Default
	}
	m, err := r.Versions.Minor(minor)
	return minor, m, err
}
