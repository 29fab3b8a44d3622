// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Table prints one line for each scenario and rule: the arms' verdicts, whether they are the expected ones, and when the last
// container died on each arm, in seconds after the first request. Below it lists the scenarios that the minor skips, and
// explains all unexpected results.
func (r Results) Table(out io.Writer) error {
	var lines bytes.Buffer
	w := tabwriter.NewWriter(&lines, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "SCENARIO\tRULE\t%s\tVERDICT\t%s\n", r.columns("%s"), r.columns("%s dead at"))
	var notes []string
	for _, id := range r.Scenarios {
		for i, rule := range r.RulesOf(id) {
			name, dead := id, r.cells(id, Result.dead)
			if i > 0 {
				name, dead = "", strings.Repeat("\t", len(r.Arms)-1)
			}
			verdicts := r.cells(id, func(one Result) string { return string(one.VerdictOn(rule)) })
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", name, rule, verdicts, r.sum(id, rule), dead)
		}
		notes = append(notes, r.Notes(id)...)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(lines.String()) {
		fmt.Fprintln(out, strings.TrimRight(line, " \n"))
	}
	fmt.Fprintln(out)
	for _, note := range append(r.skips(), notes...) {
		fmt.Fprintln(out, note)
	}
	_, err := fmt.Fprint(out, r.closing())
	return err
}

// columns returns the headings of one column for each arm.
func (r Results) columns(format string) string {
	var names []string
	for _, arm := range r.Arms {
		names = append(names, strings.ToUpper(fmt.Sprintf(format, arm)))
	}
	return strings.Join(names, "\t")
}

func (r Results) cells(id string, cell func(Result) string) string {
	var cells []string
	for _, arm := range r.Arms {
		one, ok := r.Find(id, arm)
		if !ok {
			cells = append(cells, "missing")
			continue
		}
		cells = append(cells, cell(one))
	}
	return strings.Join(cells, "\t")
}

// RulesOf returns the rules of a scenario, from either arm with a result.
func (r Results) RulesOf(id string) []scenario.Rule {
	for _, one := range r.Results {
		if one.Scenario != id {
			continue
		}
		var rules []scenario.Rule
		for _, rule := range one.Rules {
			rules = append(rules, rule.Rule)
		}
		return rules
	}
	return []scenario.Rule{"-"}
}

func (r Result) VerdictOn(rule scenario.Rule) verdict.Verdict {
	for _, one := range r.Rules {
		if one.Rule == rule {
			return one.Verdict
		}
	}
	return verdict.Invalid
}

func (r Result) dead() string {
	if r.Dead == nil {
		return "-"
	}
	text := fmt.Sprintf("%.2f s", *r.Dead)
	if late := r.LateBy(); late > 0 {
		text += fmt.Sprintf(" (%s)", RuntimeLate(late))
	}
	return text
}

// sum summarizes the arms' verdicts on a rule in one word.
func (r Results) sum(id string, rule scenario.Rule) string {
	sum := "as expected"
	for _, arm := range r.Arms {
		one, ok := r.Find(id, arm)
		verdict := one.VerdictOn(rule)
		switch {
		case ok && verdict.Red():
			return "RED"
		case !ok || !verdict.Good():
			sum = "INVALID"
		}
	}
	return sum
}

// Notes returns the reasons for everything in a scenario that is not as expected, and for second runs.
func (r Results) Notes(id string) []string {
	var notes []string
	for _, fault := range r.Faults(id) {
		notes = append(notes, fault.String())
	}
	for _, arm := range r.Arms {
		if one, _ := r.Find(id, arm); one.Second != "" {
			notes = append(notes, fmt.Sprintf("%s on %s: %s", id, arm, one.SecondRun()))
		}
	}
	return notes
}

// skips returns the scenarios that the minor cannot run, one line for each reason.
func (r Results) skips() []string {
	var reasons []string
	ids := map[string][]string{}
	for _, skip := range r.Skipped {
		if ids[skip.Why] == nil {
			reasons = append(reasons, skip.Why)
		}
		ids[skip.Why] = append(ids[skip.Why], skip.Scenario)
	}
	var lines []string
	for _, why := range reasons {
		lines = append(lines, fmt.Sprintf("not in %s: %s (%s)", r.Minor, strings.Join(ids[why], ", "), why))
	}
	return lines
}

func (r Results) closing() string {
	var b strings.Builder
	counts := r.Judged()
	var parts []string
	for _, v := range counts.Of() {
		parts = append(parts, fmt.Sprintf("%d %s", counts[v], v))
	}
	if len(parts) == 0 {
		parts = []string{"nothing ran"}
	}
	took := "judged again" // no duration: the histories were judged again
	if r.Seconds > 0 {
		took = fmt.Sprintf("%.0f s", r.Seconds)
	}
	var arms []string
	for _, arm := range r.Arms {
		arms = append(arms, string(arm))
	}
	fmt.Fprintf(&b, "scenarios: %d on %s of %s (%s): %s\n", len(r.Scenarios), strings.Join(arms, " and "), r.Minor, took,
		strings.Join(parts, ", "))
	parts = nil
	for _, arm := range r.Arms {
		if median, n := r.Forced(arm); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %.2f s", arm, median))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintf(&b, "force of a terminating pod to container dead, median: %s\n", strings.Join(parts, ", "))
	}
	if text := r.lateness(); text != "" {
		fmt.Fprintln(&b, text)
	}
	fmt.Fprintf(&b, "%s\n", strings.ToUpper(string(r.Status())))
	return b.String()
}
