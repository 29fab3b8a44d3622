// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"path"
	"regexp"
	"strings"

	"github.com/kgrace/kgrace/internal/intree"
	"github.com/kgrace/kgrace/internal/patchset"
)

// ownerOf returns the index of the patch that a declared test belongs to, or -1: the patch that adds or changes its
// function. Of several it is the first one that contains the test's failure message; else, for a subtest, the first that
// contains the subtest's own name; else the first.
//
// It uses only the patches, so that a cell's inputs are known before any tree is laid out.
func ownerOf(series *patchset.Series, d intree.Declared) int {
	function, subtest, _ := strings.Cut(d.Test, "/")
	first, named := -1, -1
	reason, err := regexp.Compile(d.Reason)
	for i, p := range series.Patches {
		added, changed := changesTo(p, d.Package, function)
		if !changed {
			continue
		}
		if d.Reason != "" && err == nil && reason.MatchString(added) {
			return i
		}
		if first < 0 {
			first = i
		}
		if named < 0 && subtest != "" && names(added, path.Base(subtest)) {
			named = i
		}
	}
	if named >= 0 {
		return named
	}
	return first
}

// names reports whether a text contains a subtest's name, as go test prints it or as it was written.
func names(text, subtest string) bool {
	return strings.Contains(text, subtest) || strings.Contains(text, strings.ReplaceAll(subtest, "_", " "))
}

var (
	functionLine = regexp.MustCompile(`^func (\w+)\(`)
	declaration  = regexp.MustCompile(`^(?:func|type|var|const)\b`)
)

// changesTo reports whether a patch adds or removes lines of a test function of a package, and returns the added lines.
func changesTo(p *patchset.Patch, pkg, function string) (added string, changed bool) {
	var text strings.Builder
	for _, f := range p.Files {
		if path.Dir(f.Path) != pkg || !strings.HasSuffix(f.Path, "_test.go") {
			continue
		}
		for _, h := range f.Hunks {
			current := functionOf(h.Context)
			for _, line := range h.Lines {
				sign, rest := line[0], line[1:]
				if declaration.MatchString(rest) {
					current = functionOf(rest)
				}
				if current == function && (sign == '+' || sign == '-') {
					changed = true
					if sign == '+' {
						text.WriteString(rest + "\n")
					}
				}
				if rest == "}" {
					current = ""
				}
			}
		}
	}
	return text.String(), changed
}

func functionOf(line string) string {
	if m := functionLine.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}
