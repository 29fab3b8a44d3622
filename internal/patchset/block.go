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
