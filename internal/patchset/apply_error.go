// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ApplyError reports a patch that does not apply. The tree is back on its original commit.
type ApplyError struct {
	// Dir is the directory of the series, Tree the work tree.
	Dir, Tree string
	// Patch is the file's name, Index its number in the series from 1, Total the length of the series.
	Patch        string
	Index, Total int
	// File is the first file that the patch failed on; empty if git stopped before it looked at files.
	File string
	// Line is where the hunk was expected in the old file, from 1; 0 if the failure concerns the whole file (it is missing, or
	// it already exists).
	Line int
	// Hunk is the header of the hunk that did not fit; empty if Line is 0.
	Hunk string
	// Git is git's error output.
	Git string
}

var (
	failedHunk = regexp.MustCompile(`(?m)^error: patch failed: (.+):(\d+)$`)
	failedFile = regexp.MustCompile(`(?m)^error: (.+): (?:patch does not apply|No such file or directory|already exists in (?:index|working directory)|does not exist in index|does not match index)$`)
)

func newApplyError(p *Patch, said string) *ApplyError {
	e := &ApplyError{Patch: p.Name, Git: strings.TrimSpace(said)}
	if m := failedHunk.FindStringSubmatch(said); m != nil {
		e.File = m[1]
		e.Line, _ = strconv.Atoi(m[2])
		e.Hunk = p.hunkAt(e.File, e.Line)
	} else if m := failedFile.FindStringSubmatch(said); m != nil {
		e.File = m[1]
	}
	return e
}

// hunkAt returns the header of the hunk that git expected at line of path.
func (p *Patch) hunkAt(path string, line int) string {
	for _, f := range p.Files {
		if f.Path != path {
			continue
		}
		for _, h := range f.Hunks {
			if h.OldLine == line {
				return h.Header
			}
		}
	}
	return ""
}

func (e *ApplyError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "patch %d of %d, %s, does not apply", e.Index, e.Total, e.Patch)
	switch {
	case e.Hunk != "":
		fmt.Fprintf(&b, ": %s, hunk %s", e.File, e.Hunk)
	case e.Line != 0:
		fmt.Fprintf(&b, ": %s, hunk at line %d", e.File, e.Line)
	case e.File != "":
		fmt.Fprintf(&b, ": %s", e.File)
	}
	fmt.Fprintf(&b, "\n  git: %s\n", strings.ReplaceAll(firstLines(e.Git, 6), "\n", "\n       "))
	fmt.Fprintf(&b, "The tree %s is back where it was. If it is not the version that the series was written for, lay out that version;  "+
		"to move the series, apply the patches before this one, make the change by hand, commit, and run `kgrace patch extract` (patches/README.md).", e.Tree)
	return b.String()
}
