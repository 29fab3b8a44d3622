// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// chip shows a verdict as a sign, a word and a colour, never as only one of them.
type chip struct {
	Class, Sign, Word string
	N                 int
}

// signs are the signs of the verdicts: calm for expected ones, loud for red ones.
var signs = map[verdict.Verdict]string{
	verdict.Reproduced: "↺", verdict.Repaired: "✓", verdict.Kept: "=",
	verdict.NotReproduced: "!", verdict.StillBroken: "!", verdict.Regressed: "!", verdict.Invalid: "?", result.Missing: "?",
}

func newChip(v verdict.Verdict) chip {
	class := string(v)
	switch {
	case v.Red():
		class = "red"
	case v == result.Missing:
		class = string(verdict.Invalid)
	}
	return chip{Class: class, Sign: signs[v], Word: string(v)}
}

// counted returns the chips of a tally: what is expected, and what is not.
func counted(t result.Tally) (expected, not []chip) {
	for _, v := range t.Of() {
		one := newChip(v)
		one.N = t[v]
		if v.Good() {
			expected = append(expected, one)
		} else {
			not = append(not, one)
		}
	}
	return expected, not
}

// inWords returns a tally as text.
func inWords(t result.Tally) string {
	var words []string
	for _, v := range t.Of() {
		words = append(words, fmt.Sprintf("%d %s", t[v], v))
	}
	return strings.Join(words, ", ")
}

// medians compares the arms of one run by the time from force to dead. Its scale is its own: Most is its full width.
type medians struct {
	Name, About, Most string
	Bars              []bar
}

type bar struct {
	Arm     verdict.Arm
	Width   string
	Seconds string
	Of      int
}

// times says what a second of a level is, and whether its grace periods are those of the catalogue.
var times = map[scenario.Level]string{
	scenario.LevelSim:  "virtual time, grace periods as in the catalogue",
	scenario.LevelNode: "real time on a real node, long grace periods shortened",
	scenario.LevelKind: "real time on a kind cluster, long grace periods shortened",
}

// summarize fills the head of the page.
func (p *page) summarize(runs []result.Run) {
	cells, judged := result.Tally{}, result.Tally{}
	for _, run := range runs {
		name := columnName(run, runs)
		if m, ok := newMedians(run, name); ok {
			p.Medians = append(p.Medians, m)
		}
		p.Runs = append(p.Runs, newOverview(run, name))
		judged.Add(run.Judged())
		for _, arm := range run.Arms {
			cells.Add(run.Leads(arm))
		}
		for _, id := range run.Scenarios {
			for _, fault := range run.Faults(id) {
				p.Faults = append(p.Faults, newNote(fault, run, name))
			}
			for _, arm := range run.Arms {
				if one, _ := run.Find(id, arm); one.Second != "" {
					p.Seconds = append(p.Seconds, note{Href: "#" + figureID(id, run, arm), Name: fmt.Sprintf("%s: %s on %s", name, id, arm), Why: one.SecondRun()})
				}
			}
		}
	}
	// What is red comes before what could not be judged.
	slices.SortStableFunc(p.Faults, func(a, b note) int { return cmp.Compare(result.Severity(a.verdict), result.Severity(b.verdict)) })
	p.Expected, p.Unexpected = counted(cells)
	for _, one := range slices.Concat(p.Expected, p.Unexpected) {
		p.Cells += one.N
	}
	p.Judged = inWords(judged)
	p.Sentence = map[verdict.Status]string{
		verdict.StatusGood:    "Every judge found what the catalogue expects: stock shows the fault, fixed does not, and the rest is as it was.",
		verdict.StatusRed:     "A judge saw something else than the catalogue expects. What it saw is listed below.",
		verdict.StatusInvalid: "Nothing is red, but something was not run to the point where its rule applies. It is listed below.",
	}[p.Status]
}

// note is something that a reader must not miss, with the place on the page that shows it.
type note struct {
	scenario        string
	verdict         verdict.Verdict
	Href, Name, Why string
	Chip            chip
	filtered
}

func newNote(f result.Fault, run result.Run, name string) note {
	n := note{scenario: f.Scenario, verdict: f.Verdict, Href: "#" + figureID(f.Scenario, run, f.Arm), Name: fmt.Sprintf("%s: %s on %s", name, f.Scenario, f.Arm), Why: f.Why, Chip: newChip(f.Verdict)}
	if f.Rule.Known() {
		n.Href = "#" + ruleID(f.Scenario, run, f.Arm, f.Rule)
		n.Name += fmt.Sprintf(", %s %s", f.Rule, f.Rule.Title())
	}
	return n
}

func newMedians(run result.Run, name string) (medians, bool) {
	m := medians{Name: name, About: times[run.Level]}
	var most float64
	for _, arm := range run.Arms {
		median, _ := run.Forced(arm)
		most = max(most, median)
	}
	m.Most = rounded(most)
	for _, arm := range run.Arms {
		if median, n := run.Forced(arm); n > 0 {
			width := percent(100)
			if most > 0 {
				width = percent(max(100*median/most, .6))
			}
			m.Bars = append(m.Bars, bar{arm, width, rounded(median), n})
		}
	}
	return m, len(m.Bars) > 0
}
