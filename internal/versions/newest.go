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
