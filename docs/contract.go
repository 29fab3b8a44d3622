// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package docs makes the text of the contract readable for programs: a report quotes the rule that was broken in the words of
// contract.md itself. It holds no rule of its own and judges nothing.
package docs

import (
	_ "embed" // the contract
	"regexp"
)

//go:embed contract.md
var contract string

// row is a line of the table of rules: | R1 deadline | text |.
var row = regexp.MustCompile(`(?m)^\| (R\d+) [^|]+ \| (.+) \|$`)

// Rule returns the text of a rule of the contract, in Markdown; "" for an unknown rule.
func Rule(id string) string {
	for _, m := range row.FindAllStringSubmatch(contract, -1) {
		if m[1] == id {
			return m[2]
		}
	}
	return ""
}
