// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// filtered is what a part of the page can be filtered by: words, separated by spaces.
type filtered struct{ Rules, Family, Verdicts string }

// filterOf returns what a scenario is filtered by: the rules and verdicts of all runs.
func filterOf(s scenario.Scenario, runs []result.Run) filtered {
	rules, verdicts := map[scenario.Rule]bool{}, map[verdict.Verdict]bool{}
	for _, run := range runs {
		if !slices.Contains(run.Scenarios, s.ID) {
			continue
		}
		for _, arm := range run.Arms {
			one, ok := run.Find(s.ID, arm)
			if !ok {
				verdicts[result.Missing] = true
			}
			for _, rule := range one.Rules {
				rules[rule.Rule], verdicts[rule.Verdict] = true, true
			}
		}
	}
	f := filtered{Family: s.Family}
	for _, rule := range scenario.Rules() {
		if rules[rule] {
			f.Rules += " " + string(rule)
		}
	}
	for _, v := range allVerdicts() {
		if verdicts[v] {
			f.Verdicts += " " + string(v)
		}
	}
	f.Rules, f.Verdicts = strings.TrimSpace(f.Rules), strings.TrimSpace(f.Verdicts)
	return f
}

func allVerdicts() []verdict.Verdict {
	every := result.Tally{}
	for v := range signs {
		every[v] = 1
	}
	return every.Of()
}

// choice is a list to choose from. The choice filters everything on the page that has its attribute.
type choice struct {
	ID, Label, All, attribute string
	Options                   []option
}

type option struct{ Value, Text string }

// newFilter returns the choices that make a difference for these parts of the page.
func newFilter(parts []filtered) []choice {
	has := func(word string, in func(filtered) string) bool {
		return slices.ContainsFunc(parts, func(f filtered) bool { return slices.Contains(strings.Fields(in(f)), word) })
	}
	rules := choice{ID: "by-rule", Label: "rule", All: "all rules", attribute: "data-rules"}
	for _, rule := range scenario.Rules() {
		if has(string(rule), func(f filtered) string { return f.Rules }) {
			rules.Options = append(rules.Options, option{string(rule), fmt.Sprintf("%s %s", rule, rule.Title())})
		}
	}
	families := choice{ID: "by-family", Label: "family", All: "all families", attribute: "data-family"}
	for _, f := range parts {
		one := option{f.Family, f.Family}
		if f.Family != "" && !slices.Contains(families.Options, one) {
			families.Options = append(families.Options, one)
		}
	}
	verdicts := choice{ID: "by-verdict", Label: "verdict", All: "all verdicts", attribute: "data-verdicts"}
	for _, v := range allVerdicts() {
		if has(string(v), func(f filtered) string { return f.Verdicts }) {
			verdicts.Options = append(verdicts.Options, option{string(v), string(v)})
		}
	}
	return []choice{rules, families, verdicts}
}

// filterStyle hides what a choice leaves out, without a script. The values are names of rules, verdicts and families of the
// catalogue, never text of a run.
func filterStyle(choices []choice) template.CSS {
	var b strings.Builder
	for _, c := range choices {
		for _, o := range c.Options {
			fmt.Fprintf(&b, ":root:has(#%s option[value=\"%s\"]:checked) [%s]:not([%s~=\"%s\"]) { display: none; }\n", c.ID, o.Value, c.attribute, c.attribute, o.Value)
		}
	}
	return template.CSS(b.String())
}
