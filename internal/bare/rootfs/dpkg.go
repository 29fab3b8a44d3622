// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package rootfs

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// Package is an installed Debian package.
type Package struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Arch    string `json:"arch"`
	Source  string `json:"source"`

	depends  []string // names; all alternatives
	provides []string
	files    []string
}

// Packages returns the packages in a root filesystem, sorted by name.
func Packages(file string) ([]Package, error) {
	found := map[string]*Package{}
	lists := map[string][]string{}
	err := walk(file, func(h *tar.Header, r io.Reader) error {
		name := path.Clean("/" + h.Name)
		switch {
		case name == "/var/lib/dpkg/status":
			data, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			for _, p := range ParseStatus(string(data)) {
				found[p.Name] = &p
			}
		case path.Dir(name) == "/var/lib/dpkg/info" && strings.HasSuffix(name, ".list"):
			data, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			pkg, _, _ := strings.Cut(strings.TrimSuffix(path.Base(name), ".list"), ":")
			lists[pkg] = strings.Fields(string(data))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s contains no installed Debian package", file)
	}
	var all []Package
	for name, p := range found {
		p.files = lists[name]
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b Package) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// ParseStatus returns the installed packages in a dpkg status file.
func ParseStatus(text string) []Package {
	var all []Package
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		fields := map[string]string{}
		for line := range strings.Lines(paragraph) {
			if name, value, ok := strings.Cut(line, ":"); ok && line[0] != ' ' {
				fields[name] = strings.TrimSpace(value)
			}
		}
		if !strings.HasSuffix(fields["Status"], " installed") {
			continue
		}
		p := Package{Name: fields["Package"], Version: fields["Version"], Arch: fields["Architecture"], Source: fields["Source"]}
		p.depends = append(names(fields["Depends"]), names(fields["Pre-Depends"])...)
		p.provides = names(fields["Provides"])
		all = append(all, p)
	}
	return all
}

// names parses a relation field: "a (>= 1) | b:any, c".
func names(field string) []string {
	var all []string
	for _, part := range strings.FieldsFunc(field, func(r rune) bool { return r == ',' || r == '|' }) {
		name, _, _ := strings.Cut(strings.TrimSpace(part), " ")
		name, _, _ = strings.Cut(name, ":")
		if name != "" {
			all = append(all, name)
		}
	}
	return all
}

// closure returns the named packages and their installed transitive dependencies.
func closure(all []Package, wanted []string) ([]Package, error) {
	byName := map[string]*Package{}
	for i := range all {
		for _, name := range append([]string{all[i].Name}, all[i].provides...) {
			if _, known := byName[name]; !known || name == all[i].Name {
				byName[name] = &all[i]
			}
		}
	}
	taken := map[string]bool{}
	var picked []Package
	var take func(name string)
	take = func(name string) {
		p := byName[name]
		if p == nil || taken[p.Name] {
			return
		}
		taken[p.Name] = true
		picked = append(picked, *p)
		for _, d := range p.depends {
			take(d)
		}
	}
	for _, name := range wanted {
		if byName[name] == nil {
			return nil, fmt.Errorf("package %s is not in the root filesystem", name)
		}
		take(name)
	}
	return picked, nil
}

// walk calls visit for each entry of a tar.
func walk(file string, visit func(*tar.Header, io.Reader) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = visit(h, r)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
}
