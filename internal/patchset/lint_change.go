// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"path"
	"regexp"
	"strings"
)

var (
	// generated matches generated files. In Kubernetes they have a commit of their own, so that a reviewer can skip it.
	generated = regexp.MustCompile(`(?:^|/)(?:zz_generated[^/]*|[^/]*\.pb\.go|generated\.proto|[^/]*_generated\.go)$|^api/(?:openapi-spec|discovery|rules)/`)
	// dependencies matches the files that declare a module's dependencies, and those that the dependencies add to the tree.
	dependencies = regexp.MustCompile(`(?:^|/)(?:go\.mod|go\.sum|go\.work|go\.work\.sum)$|^vendor/|^LICENSES/`)
	copyright    = regexp.MustCompile(`^Copyright (?:20\d\d )?The Kubernetes Authors\.$`)
	// licensed are the kinds of files that Kubernetes' own hack/verify-boilerplate requires a header in.
	licensed = map[string]bool{".go": true, ".sh": true, ".py": true}
)

const licence = "Licensed under the Apache License, Version 2.0"

// lintChange checks the changes of a patch to files.
func lintChange(p *Patch, add func(format string, args ...any)) {
	var made, written, needed []string
	for _, f := range p.Files {
		if dependencies.MatchString(f.Path) {
			needed = append(needed, f.Path)
		}
		if generated.MatchString(f.Path) {
			made = append(made, f.Path)
		} else {
			written = append(written, f.Path)
		}
		if f.New && licensed[path.Ext(f.Path)] && !f.hasBoilerplate() {
			add("the new file %s does not begin with the Kubernetes header (\"Copyright The Kubernetes Authors.\" and the Apache licence, as in hack/boilerplate)", f.Path)
		}
	}
	if len(needed) > 0 {
		add("touches %s: the fix must neither add nor change a dependency; use those that the tree has", strings.Join(needed, ", "))
	}
	if len(made) > 0 && len(written) > 0 {
		add("generated files (%s) are mixed with hand-written ones (%s); put the generated files into a patch of their own", strings.Join(made, ", "), strings.Join(written, ", "))
	}
}

// hasBoilerplate looks for the header in the text of a new file.
func (f File) hasBoilerplate() bool {
	var owner, terms bool
	for _, h := range f.Hunks {
		for _, line := range h.Lines {
			text := strings.TrimSpace(strings.TrimLeft(strings.TrimPrefix(line, "+"), "/*#"))
			switch {
			case strings.HasPrefix(text, "package ") || strings.HasPrefix(text, "import "):
				return owner && terms
			case copyright.MatchString(text):
				owner = true
			case strings.HasPrefix(text, licence):
				terms = true
			}
		}
	}
	return owner && terms
}
