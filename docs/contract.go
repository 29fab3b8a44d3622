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
