// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
