// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

var (
	minorName = regexp.MustCompile(`^v1\.\d+$`)
	toolchain = regexp.MustCompile(`^go1\.\d+(\.\d+|rc\d+)$`)
	buildTag  = regexp.MustCompile(`^[A-Za-z0-9_.]+$`)
	// A program's name becomes the name of a directory and a file.
	programName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)
	// The name of a package according to Debian's policy.
	debianPackage = regexp.MustCompile(`^[a-z0-9][a-z0-9.+-]+$`)
	linkVar       = regexp.MustCompile(`^[A-Za-z0-9_./-]+\.[A-Za-z_][A-Za-z0-9_]*$`)
)

// validate reports all errors, so that the file can be fixed at once.
func (f *File) validate() error {
	var errs []error
	wrong := func(field, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: line %d: %s: %s", f.path, f.lines.Line(f.keys(field)...), field, fmt.Sprintf(format, args...)))
	}
	if len(f.Minors) == 0 {
		wrong("minors", "empty; want at least one Kubernetes minor")
	} else if _, ok := f.Minors[f.Default]; !ok {
		wrong("default", "%q is not one of the minors %s", f.Default, strings.Join(f.MinorNames(), ", "))
	}
	for _, name := range f.MinorNames() {
		f.Minors[name].validate(name, wrong)
	}
	provider := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(f.Programs)) {
		p := f.Programs[name]
		p.validate(name, wrong)
		for _, binary := range slices.Sorted(maps.Keys(p.Packages)) {
			if other, ok := provider[binary]; ok {
				wrong("programs."+name+".packages."+binary, "already comes from program %s", other)
			}
			provider[binary] = name
		}
	}
	for _, name := range f.MinorNames() {
		for _, binary := range slices.Sorted(maps.Keys(f.Minors[name].Debian)) {
			at, pkg := "minors."+name+".debian."+binary, f.Minors[name].Debian[binary]
			if _, ok := provider[binary]; !ok {
				wrong(at, "not one of the programs below, so it replaces nothing")
			}
			if !debianPackage.MatchString(pkg) {
				wrong(at, "%q is not the name of a Debian package", pkg)
			}
		}
	}
	return errors.Join(errs...)
}

// keys splits the name of a field at its dots, but for those in the names of minors and of programs.
func (f *File) keys(field string) []string {
	group, rest, _ := strings.Cut(field, ".")
	var names []string
	switch group {
	case "minors":
		names = f.MinorNames()
	case "programs":
		names = slices.Collect(maps.Keys(f.Programs))
	}
	for _, name := range names {
		if rest == name {
			return []string{group, name}
		}
		if below, ok := strings.CutPrefix(rest, name+"."); ok {
			below, deep, _ := strings.Cut(below, ".")
			return []string{group, name, below, deep}
		}
	}
	return []string{group}
}

func (m Minor) validate(name string, wrong func(field, format string, args ...any)) {
	at := "minors." + name
	if !minorName.MatchString(name) {
		wrong(at, "not a minor; want the form v1.37")
	}
	if !semver.IsValid(m.Kubernetes) || semver.Canonical(m.Kubernetes) != m.Kubernetes {
		wrong(at+".kubernetes", "%q is not a tag; want the form v1.37.2", m.Kubernetes)
	} else if semver.MajorMinor(m.Kubernetes) != name {
		wrong(at+".kubernetes", "%s belongs to minor %s", m.Kubernetes, semver.MajorMinor(m.Kubernetes))
	} else if want := "v0" + strings.TrimPrefix(m.Kubernetes, "v1"); m.Staging != want {
		wrong(at+".staging", "%q does not belong to %s; want %s", m.Staging, m.Kubernetes, want)
	}
	if !toolchain.MatchString(m.Go) {
		wrong(at+".go", "%q is not a Go toolchain; want the form go1.26.10", m.Go)
	}
	if m.Revision < 1 {
		wrong(at+".revision", "%d; want 1 or more", m.Revision)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Stubs)) {
		if err := module.CheckPath(name); err != nil {
			wrong(at+".stubs", "%v", err)
		}
		if _, err := ParseStub(m.Stubs[name]); err != nil {
			wrong(at+".stubs."+name, "%v", err)
		}
	}
}

func (p Program) validate(name string, wrong func(field, format string, args ...any)) {
	at := "programs." + name
	if !programName.MatchString(name) {
		wrong(at, "not a program name; want lower-case letters, digits, dots and dashes")
	}
	if err := module.Check(p.Module, p.Version); err != nil {
		wrong(at+".module", "%v", err)
	}
	for _, tag := range p.Tags {
		if !buildTag.MatchString(tag) {
			wrong(at+".tags", "%q is not a build tag", tag)
		}
	}
	for _, v := range p.VersionVars {
		if !linkVar.MatchString(v) {
			wrong(at+".versionVars", "%q is not a variable; want the form import/path.Name", v)
		}
	}
	if p.For != "" && !programName.MatchString(p.For) {
		wrong(at+".for", "%q is not the name of a use; want one word in lower case", p.For)
	}
	if len(p.Packages) == 0 {
		wrong(at+".packages", "empty; want binary: main package")
	}
	for _, binary := range slices.Sorted(maps.Keys(p.Packages)) {
		if pkg := p.Packages[binary]; pkg != p.Module && !strings.HasPrefix(pkg, p.Module+"/") {
			wrong(at+".packages."+binary, "%q is not a package of module %s", pkg, p.Module)
		}
		if !programName.MatchString(binary) {
			wrong(at+".packages."+binary, "not a program name; want lower-case letters, digits, dots and dashes")
		}
	}
}
