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

package kubetree

import (
	"io"
	"os"
	"path/filepath"

	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

// Environment variables that steer where things come from and go to.
const (
	// SourceVar names a git checkout of Kubernetes to lay the trees out from, in place of the Go module.
	SourceVar = "KUBE_SRC"
	// OutputVar moves the output folder away from _output.
	OutputVar = "KGRACE_OUTPUT"
)

// Repo is a checkout of this project together with its output folder.
type Repo struct {
	// Root is the checkout: versions.yaml and patches/ are in it.
	Root string
	// Output is where trees and binaries go, normally Root/_output.
	Output string
	// Source is a git checkout of Kubernetes at the tag in question; empty means the Go module.
	Source string
	// Versions are the pins; nil means Root/versions.yaml, read when needed.
	Versions *versions.File
	// Progress gets a line per step; nil means none.
	Progress io.Writer

	// free overrides the measure of free space, in tests.
	free func(dir string) (uint64, error)
	// lookPath overrides exec.LookPath, in tests.
	lookPath func(string) (string, error)
}

// Open returns the Repo of the checkout at root with the settings of the environment.
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
	return r, nil
}

// TreeDir is where an arm's tree is, or will be.
func (r *Repo) TreeDir(minor string, arm verdict.Arm) string {
	return filepath.Join(r.Output, "trees", minor, string(arm))
}

// SeriesDir is the folder of a minor's patches.
func (r *Repo) SeriesDir(minor string) string {
	return filepath.Join(r.Root, "patches", minor)
}

// resolve names the minor ("" is the default one) and returns its pins.
func (r *Repo) resolve(minor string) (string, versions.Minor, error) {
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
