// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package repocheck

import (
	"regexp"
	"strings"

	"github.com/kgrace/kgrace/internal/vendored"
)

// theirs matches the header of a file copied from Kubernetes.
var theirs = regexp.MustCompile(`^/\*\nCopyright (?:20\d\d )?The Kubernetes Authors\.\n\nLicensed under the Apache License, Version 2\.0`)

// Licences requires the Apache header on every Go and shell file: this project's, or Kubernetes' on copied files.
func Licences(files []File) []string {
	var faults []string
	for _, f := range files {
		switch {
		case f.isGenerated() && theirs.MatchString(f.Text):
		case f.isGo() && !strings.HasPrefix(withoutBuildTag(f.Text), vendored.Header):
			faults = append(faults, f.Path+": does not begin with the licence header; copy the head of internal/history/event.go")
		case f.isShell() && !hasShellHeader(f.Text):
			faults = append(faults, f.Path+": has no licence header below its first line; copy the header of internal/history/event.go as # comments")
		}
	}
	return faults
}

// withoutBuildTag removes the constraint that Kubernetes, and so this project, writes above the header.
func withoutBuildTag(text string) string {
	if strings.HasPrefix(text, "//go:build ") {
		_, text, _ = strings.Cut(text, "\n\n")
	}
	return text
}

func hasShellHeader(text string) bool {
	for line := range strings.Lines(vendored.Header) {
		if line != "\n" && !strings.Contains(text, "\n# "+strings.TrimPrefix(line, "// ")) {
			return false
		}
	}
	return true
}
