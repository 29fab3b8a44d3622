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

package patchset

import (
	"fmt"
	"strings"
)

// maxSlug limits file names that come from long subjects.
const maxSlug = 60

// FileName returns the file name of patch n (counted from 1) with the given subject: "0003-kubelet-carry-zero.patch".
func FileName(n int, subject string) string {
	return fmt.Sprintf("%04d-%s.patch", n, Slug(subject))
}

// Slug returns a subject as part of a file name. Letters, digits, '.' and '_' stay, an apostrophe is dropped ("worker's"
// becomes "workers"), everything else becomes one '-', and the result is cut at the last whole word within 60 characters.
func Slug(subject string) string {
	words := strings.FieldsFunc(strings.ReplaceAll(subject, "'", ""), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_')
	})
	slug := ""
	for _, w := range words {
		w = strings.Trim(w, ".")
		if w == "" {
			continue
		}
		next := w
		if slug != "" {
			next = slug + "-" + w
		}
		if len(next) > maxSlug {
			if slug == "" {
				slug = next[:maxSlug]
			}
			break
		}
		slug = next
	}
	return slug
}
