// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
