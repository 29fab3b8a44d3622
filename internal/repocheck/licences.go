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
	var comments []string
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "#") && line != "" {
			break
		}
		comments = append(comments, strings.TrimPrefix(strings.TrimPrefix(line, "#"), " "))
	}
	want := strings.TrimSpace(strings.Trim(strings.TrimSpace(vendored.Header), "/*"))
	return strings.Contains(strings.Join(comments, "\n"), want)
}
