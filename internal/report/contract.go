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
