// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// row is one scenario in the matrix.
type row struct {
	ID    string
	Cells []cell
	filtered
}

func (r row) odd() bool { return slices.ContainsFunc(r.Cells, func(c cell) bool { return c.Odd }) }

// cell is one scenario on one arm at one level; empty where it does not run.
type cell struct {
	chip
	Href, Dead string
	// Not is the reason why the scenario does not run at the level.
	Not   string
	First bool // of its run
	// Odd means that every rule is kept although the arms' times differ; the section says why.
	Odd bool
}

// section is one scenario with all its results.
type section struct {
	ID, Stock, Fixed string
	Source           []sourcePart
	Blocks           []block
	filtered
}

// sourcePart is a part of a scenario's source: text, or a link to the thread that it names.
type sourcePart struct {
	Text string
	Href template.URL
}

// block is a scenario at one level.
type block struct {
	ID, Run, Steps string
	Arms           []armView
	Rules          []ruleView
	// Apart is why the arms' times differ although every rule is kept.
	Apart string
	Calls *callsView
}

// Told reports whether there is an event to tell.
func (b block) Told() bool {
	return slices.ContainsFunc(b.Arms, func(v armView) bool { return v.Words != "" })
}

// armView is the result of one arm.
type armView struct {
	ID      string
	Arm     verdict.Arm
	Version string
	History string // address of the file
	Chip    chip
	Dead    string
	// Late is how late the runtime was, if the verdict depends on the kubelet's request; Second is the reason for a second run.
	Late, Second string
	// Drawing is nil if there is no history; Missing is the reason.
	Drawing *drawing
	Missing string
	Words   string // the events as text
	// Again is nil if everything is as expected.
	Again *again
}

// ruleView is one rule with the judge's finding on each arm.
type ruleView struct {
	Rule  scenario.Rule
	Title string
	Cells []ruleCell
	// Text is the rule in the contract's words, if an arm is not as expected; otherwise nil.
	Text *ruleText
}

type ruleCell struct {
	chip
	ID  string
	Arm verdict.Arm
	Why string
}

// again is what a reader needs to look into something that is not as expected.
type again struct {
	Command      string
	History, Log string // addresses of files
	Grep         string
}

func matrixRow(s scenario.Scenario, runs []result.Run) row {
	r := row{ID: s.ID}
	for _, run := range runs {
		for i, arm := range run.Arms {
			c := cell{First: i == 0, Not: "does not run at level " + string(run.Level)}
			if why := s.Not[run.Level]; why != "" {
				c.Not += ": " + why
			} else if why := s.SkipReason(run.Minor); why != "" {
				c.Not = "not in " + run.Minor + ": " + why
			}
			if slices.Contains(run.Scenarios, s.ID) {
				one, _ := run.Find(s.ID, arm)
				c.chip, c.Dead, c.Href = newChip(run.LeadOf(s.ID, arm)), deadAt(one), "#"+blockID(s.ID, run)
				c.Odd = run.Apart(s.ID)
			}
			r.Cells = append(r.Cells, c)
		}
	}
	return r
}

// blockID returns the anchor of a scenario at a level.
func blockID(id string, run result.Run) string { return id + "-" + run.Name }

// figureID returns the anchor of a drawing, and ruleID that of the finding on a rule below it.
func figureID(id string, run result.Run, arm verdict.Arm) string {
	return blockID(id, run) + "-" + string(arm)
}

func ruleID(id string, run result.Run, arm verdict.Arm, rule scenario.Rule) string {
	return figureID(id, run, arm) + "-" + string(rule)
}

func deadAt(r result.Result) string {
	if r.Dead == nil {
		return "–"
	}
	return rounded(*r.Dead)
}

// rounded formats seconds with the significant digits.
func rounded(s float64) string {
	digits := 1
	switch {
	case s < 1:
		digits = 2
	case s >= 100:
		digits = 0
	}
	return fmt.Sprintf("%.*f s", digits, s)
}

func newSection(s scenario.Scenario, runs []result.Run, at site) section {
	sec := section{ID: s.ID, Stock: s.Stock, Fixed: s.Fixed, Source: sources(s.Source)}
	for _, run := range runs {
		if slices.Contains(run.Scenarios, s.ID) {
			sec.Blocks = append(sec.Blocks, newBlock(s, run, columnName(run, runs), at))
		}
	}
	return sec
}

func newBlock(s scenario.Scenario, run result.Run, name string, at site) block {
	b := block{ID: blockID(s.ID, run), Run: name, Steps: steps(s.At(run.Level)), Calls: newCalls(s, run)}
	if run.Apart(s.ID) {
		if b.Apart = s.Apart; b.Apart == "" {
			b.Apart = "the catalogue gives no reason; compare the calls of both arms below"
		}
	}
	timelines := map[verdict.Arm]timeline{}
	var moments []time.Duration
	for _, arm := range run.Arms {
		if h, ok := run.Histories[result.Key{Scenario: s.ID, Arm: arm}]; ok {
			timelines[arm] = newTimeline(h, s, latenessOf(run, s, arm))
			moments = append(moments, timelines[arm].moments()...)
		}
	}
	shared := newAxis(moments)
	for _, arm := range run.Arms {
		one, ran := run.Find(s.ID, arm)
		v := armView{ID: figureID(s.ID, run, arm), Arm: arm, Chip: newChip(run.LeadOf(s.ID, arm)), Dead: deadAt(one)}
		if late := one.LateBy(); late > 0 {
			v.Late = result.RuntimeLate(late)
		}
		if one.Second != "" {
			v.Second = one.SecondRun()
		}
		if !one.Good() {
			v.Again = newAgain(s, run, arm, at)
		}
		if h, ok := run.Histories[result.Key{Scenario: s.ID, Arm: arm}]; ok {
			v.Version, v.Words, v.History = h.Versions["kubelet"], h.Timeline(), at.link(run.File(one.History))
			d := draw(timelines[arm], shared, b.ID+"-"+string(arm), fmt.Sprintf("%s on %s, level %s", s.ID, arm, name), describe(one, timelines[arm]))
			v.Drawing = &d
		} else if v.Missing = "No history: the run was cut short."; ran && len(one.Rules) > 0 {
			v.Missing = "No history: " + one.Rules[0].Why
		}
		b.Arms = append(b.Arms, v)
	}
	b.Rules = ruleViews(s, run)
	return b
}

// describe summarizes a drawing in text.
func describe(r result.Result, s timeline) string {
	text := "The last container is dead at " + deadAt(r) + "."
	if late := r.LateBy(); late > 0 {
		text += " The " + result.RuntimeLate(late) + "; the verdict stands by what the kubelet asked for."
	}
	if r.Dead == nil {
		text = "A container was still alive when the observation ended."
	}
	if s.deadline != nil {
		text += " The deadline is at " + inSeconds(s.deadline.Round(10*time.Millisecond)) + "."
	}
	for _, l := range s.lanes {
		for _, one := range l.lives {
			if strings.HasPrefix(one.kind, "overdue") {
				text += fmt.Sprintf(" %s lives %s.", l.name, one.label)
			}
		}
	}
	return text + " Every event is listed in words below the drawings."
}

func ruleViews(s scenario.Scenario, run result.Run) []ruleView {
	var views []ruleView
	for _, rule := range run.RulesOf(s.ID) {
		if !rule.Known() {
			continue // no result names a rule
		}
		v := ruleView{Rule: rule, Title: rule.Title()}
		for _, arm := range run.Arms {
			one, ok := run.Find(s.ID, arm)
			found := one.VerdictOn(rule)
			c := ruleCell{chip: newChip(found), ID: ruleID(s.ID, run, arm, rule), Arm: arm, Why: "not judged"}
			if !ok {
				c.chip, c.Why = newChip(result.Missing), "no result; the run was cut short"
			}
			if i := slices.IndexFunc(one.Rules, func(r result.Rule) bool { return r.Rule == rule }); i >= 0 {
				c.Why = one.Rules[i].Why
			}
			if ok && !found.Good() {
				text := newRuleText(rule)
				v.Text = &text
			}
			v.Cells = append(v.Cells, c)
		}
		views = append(views, v)
	}
	return views
}

func newAgain(s scenario.Scenario, run result.Run, arm verdict.Arm, at site) *again {
	a := &again{Command: run.Again(s, arm)}
	h, ok := run.Histories[result.Key{Scenario: s.ID, Arm: arm}]
	if one, _ := run.Find(s.ID, arm); ok {
		a.History = at.link(run.File(one.History))
	}
	if file := run.Log(arm); file != "" {
		pod := h.Pod
		if pod == "" {
			pod = s.ID
		}
		a.Log = at.link(file)
		if path, err := url.PathUnescape(a.Log); err == nil {
			a.Grep = fmt.Sprintf("grep %s %s", pod, path)
		}
	}
	return a
}

// steps describes the steps of a scenario.
func steps(s scenario.Scenario) string {
	words := []string{fmt.Sprintf("grace of the spec %d s", s.Pod.Grace)}
	for _, fault := range s.Faults {
		words = append(words, fault.String())
	}
	for _, step := range s.Steps {
		if step.After == 0 {
			words = append(words, step.Do.String())
			continue
		}
		words = append(words, fmt.Sprintf("+%s %v", inSeconds(step.After), step.Do))
	}
	return strings.Join(words, " · ")
}

var thread = regexp.MustCompile(`(?:[\w.-]+/[\w.-]+)?#\d+`)

// sources converts the thread names in a source to links.
func sources(text string) []sourcePart {
	var parts []sourcePart
	for {
		at := thread.FindStringIndex(text)
		if at == nil {
			break
		}
		repo, number, _ := strings.Cut(text[at[0]:at[1]], "#")
		if repo == "" {
			repo = "kubernetes/kubernetes"
		}
		parts = append(parts, sourcePart{Text: text[:at[0]]}, sourcePart{Text: text[at[0]:at[1]],
			Href: template.URL("https://github.com/" + repo + "/issues/" + number)})
		text = text[at[1]:]
	}
	return append(parts, sourcePart{Text: text})
}
