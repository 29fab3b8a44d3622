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
	"context"
	"fmt"
	"strings"
)

// Table returns text with the part between the marks "<!-- begin NAME -->" and "<!-- end NAME -->" replaced by a Markdown
// table of the series: each patch with its rules, the scenarios that detect its absence, and its status upstream.
func (s *Series) Table(ctx context.Context, text, name string) (string, error) {
	var b strings.Builder
	b.WriteString("| patch | rules | scenarios that turn red without it | upstream | can go when |\n| --- | --- | --- | --- | --- |\n")
	for i, p := range s.Patches {
		trailers, err := p.Trailers(ctx)
		if err != nil {
			return "", err
		}
		value := map[string]string{}
		for _, t := range trailers {
			value[t.Key] = strings.ReplaceAll(t.Value, "|", `\|`)
		}
		fmt.Fprintf(&b, "| [%d](%s/%s) %s | %s | %s | %s | %s |\n", i+1, name, p.Name, strings.ReplaceAll(p.Subject, "|", `\|`),
			value["Contract"], value["Scenarios"], value["Upstream-Status"], value["Drop-When"])
	}
	return ReplaceBlock(text, name, b.String())
}
