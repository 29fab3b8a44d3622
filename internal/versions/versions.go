// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/kgrace/kgrace/internal/tool"
)

// FileName is the name of the pins' file at the root of the checkout.
const FileName = "versions.yaml"

// File is versions.yaml.
type File struct {
	// Default is the minor that is used if none is named, and that the main module is built against.
	Default string `json:"default" yaml:"default"`
	// Minors by name, "v1.37". Each has a series under patches/.
	Minors map[string]Minor `json:"minors" yaml:"minors"`
	// Programs of a real node that are not part of Kubernetes, by name.
	Programs map[string]Program `json:"programs" yaml:"programs"`

	path  string
	lines *tool.YAML
}

// Minor pins one Kubernetes minor.
type Minor struct {
	// Kubernetes is the tag of k8s.io/kubernetes, "v1.37.2".
	Kubernetes string `json:"kubernetes" yaml:"kubernetes"`
	// Staging is the matching tag of the staging modules, "v0.37.2".
	Staging string `json:"staging" yaml:"staging"`
	// Go is the toolchain that builds and tests it, as a GOTOOLCHAIN value: "go1.26.10".
	Go string `json:"go" yaml:"go"`
	// Revision counts our releases on top of the tag, from 1.
	Revision int `json:"revision" yaml:"revision"`
	// Stubs maps modules that the module proxy does not have in the version required by this tag to their replacements.
	// ParseStub lists the forms.
	Stubs map[string]string `json:"stubs,omitempty" yaml:"stubs,omitempty"`
	// Debian maps the binaries of a node that come from Debian packages instead of Programs to their packages.
	Debian map[string]string `json:"debian,omitempty" yaml:"debian,omitempty"`
}

// FixedVersion returns the version that programs of the fixed arm report, "v1.37.2+grace.1". The part after the plus is
// semver build metadata: such a version is neither older nor newer than the tag, and not a pre-release.
func (m Minor) FixedVersion() string {
	return fmt.Sprintf("%s+grace.%d", m.Kubernetes, m.Revision)
}

// Program pins a Go module and describes how to build its programs.
type Program struct {
	// Module and Version identify the module.
	Module  string `json:"module" yaml:"module"`
	Version string `json:"version" yaml:"version"`
	// Tags are the build tags.
	Tags []string `json:"tags,omitempty" yaml:"tags,omitempty"`
	// CGO means that the build needs a C compiler. The other programs are built without cgo.
	CGO bool `json:"cgo,omitempty" yaml:"cgo,omitempty"`
	// Packages maps each binary to its main package.
	Packages map[string]string `json:"packages" yaml:"packages"`
	// VersionVars are string variables that the build sets to Version, as the program's own makefile would.
	VersionVars []string `json:"versionVars,omitempty" yaml:"versionVars,omitempty"`
	// For names the use of a program that a node does not run ("image", ...). Such a program is built only by name.
	For string `json:"for,omitempty" yaml:"for,omitempty"`
}

// Load reads and validates the file. Errors name the file, the field, and what was expected there.
func Load(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing: it contains every pin of this project; is this its checkout?", path)
	}
	if err != nil {
		return nil, err
	}
	return parseFile(path, data)
}

// parseFile reads and validates the text of the file; path is for errors.
func parseFile(path string, data []byte) (*File, error) {
	f := &File{path: path}
	lines, err := tool.ReadYAML(path, data, f)
	if err != nil {
		return nil, err
	}
	f.lines = lines
	if err := f.validate(); err != nil {
		return nil, err
	}
	return f, nil
}

// LoadRoot loads the versions.yaml of the checkout at root.
func LoadRoot(root string) (*File, error) {
	return Load(filepath.Join(root, FileName))
}

// Path returns the path that the file was loaded from.
func (f *File) Path() string { return f.path }

// Minor returns the named minor; "" means the default one. The error for an unknown name lists the known ones.
func (f *File) Minor(name string) (Minor, error) {
	if name == "" {
		name = f.Default
	}
	if m, ok := f.Minors[name]; ok {
		return m, nil
	}
	return Minor{}, &tool.Unknown{What: "Kubernetes minor", Name: name, By: filepath.Base(f.path), Known: f.MinorNames()}
}

// MinorNames returns the known minors, sorted.
func (f *File) MinorNames() []string {
	return slices.Sorted(maps.Keys(f.Minors))
}

// ProgramOf returns the program that provides a binary. The error for an unknown name lists the known ones.
func (f *File) ProgramOf(binary string) (string, Program, error) {
	var known []string
	for name, p := range f.Programs {
		if _, ok := p.Packages[binary]; ok {
			return name, p, nil
		}
		known = slices.AppendSeq(known, maps.Keys(p.Packages))
	}
	slices.Sort(known)
	return "", Program{}, &tool.Unknown{What: "program", Name: binary, By: filepath.Base(f.path), Known: known}
}
