// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"

	"github.com/kgrace/kgrace/docs"
	"github.com/kgrace/kgrace/internal/scenario"
)

// ruleText is a rule of the contract in its own words.
type ruleText struct {
	Rule  scenario.Rule
	Title string
	Parts []part
}

// part is a part of a text; Code is set for what Markdown has between back quotes.
type part struct {
	Text string
	Code bool
}

func newRuleText(rule scenario.Rule) ruleText {
	v := ruleText{Rule: rule, Title: rule.Title()}
	for i, text := range strings.Split(docs.Rule(string(rule)), "`") {
		if code := i%2 == 1; code {
			v.Parts = append(v.Parts, part{text, true})
		} else if text != "" {
			v.Parts = append(v.Parts, part{strings.ReplaceAll(text, "*", ""), false})
		}
	}
	return v
}
