// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"golang.org/x/mod/semver"
)

// Newest returns the newest of the tags that is a release of the same minor, and reports whether it is newer than the
// pinned one. A pre-release counts only if the pin is one itself. tag is "" if there is none.
func (m Minor) Newest(tags []string) (tag string, newer bool) {
	for _, t := range tags {
		if !semver.IsValid(t) || semver.Build(t) != "" || semver.MajorMinor(t) != semver.MajorMinor(m.Kubernetes) {
			continue
		}
		if semver.Prerelease(t) != "" && semver.Prerelease(m.Kubernetes) == "" {
			continue
		}
		if tag == "" || semver.Compare(t, tag) > 0 {
			tag = t
		}
	}
	return tag, tag != "" && semver.Compare(tag, m.Kubernetes) > 0
}
