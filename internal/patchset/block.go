// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"fmt"
	"strings"
)

// ReplaceBlock returns text with the lines between "<!-- begin NAME -->" and "<!-- end NAME -->" replaced by block, which
// must end with a newline. If a mark is missing, the error names it.
func ReplaceBlock(text, name, block string) (string, error) {
	begin, end := fmt.Sprintf("<!-- begin %s -->\n", name), fmt.Sprintf("<!-- end %s -->\n", name)
	before, rest, ok := strings.Cut(text, begin)
	if !ok {
		return "", fmt.Errorf("no line %q, where the generated part begins", strings.TrimSpace(begin))
	}
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		return "", fmt.Errorf("no line %q, where the generated part ends", strings.TrimSpace(end))
	}
	return before + begin + block + end + after, nil
}
