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
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/verdict"
)

// fact is a name with its value.
type fact struct{ Name, Value string }

// chip shows a verdict as a sign, a word and a colour, never as only one of them.
type chip struct {
	Class, Sign, Word string
	N                 int
}

// signs are the signs of the verdicts: calm for expected ones, loud for red ones.
var signs = map[verdict.Verdict]string{
	verdict.Reproduced: "✕", verdict.Repaired: "✓", verdict.Kept: "=",
	verdict.NotReproduced: "!", verdict.StillBroken: "!", verdict.Regressed: "!", verdict.Invalid: "?",
}

// verdicts are in order of severity, the worst first.
var verdicts = []verdict.Verdict{verdict.Regressed, verdict.StillBroken, verdict.NotReproduced, verdict.Invalid, verdict.Reproduced,
	verdict.Repaired, verdict.Kept}

func newChip(v verdict.Verdict) chip {
	class := string(v)
	if v.Red() {
		class = "red"
	}
	return chip{Class: class, Sign: signs[v], Word: string(v)}
}

// lead returns the verdict that represents a result: the worst, and a repair before a kept rule.
func lead(r result.Result) verdict.Verdict {
	for _, v := range verdicts {
		if slices.ContainsFunc(r.Rules, func(one result.Rule) bool { return one.Verdict == v }) {
			return v
		}
	}
	return verdict.Invalid
}

// medians compares the arms of one run by the time from force to dead.
type medians struct {
	Name string
	Bars []bar
}

type bar struct {
	Arm     verdict.Arm
	Width   string
	Seconds string
	Of      int
}

// summarize fills the head of the page.
func (p *page) summarize(runs []result.Run) {
	names, minors, took := []string{}, []string{}, []string{}
	counts := map[verdict.Verdict]int{}
	for _, run := range runs {
		names = append(names, run.Name)
		minors = append(minors, run.Minor)
		if run.Seconds > 0 {
			took = append(took, fmt.Sprintf("%s %.0f s", run.Name, run.Seconds))
		}
		if m, ok := newMedians(run); ok {
			p.Medians = append(p.Medians, m)
		}
		for _, id := range run.Scenarios {
			for _, arm := range run.Arms {
				one, _ := run.Find(id, arm)
				for _, rule := range one.Rules {
					counts[rule.Verdict]++
				}
			}
			for _, note := range run.Notes(id) {
				p.Notes = append(p.Notes, columnName(run, runs)+": "+note)
			}
		}
	}
	for _, v := range []verdict.Verdict{verdict.Reproduced, verdict.Repaired, verdict.Kept, verdict.NotReproduced, verdict.StillBroken,
		verdict.Regressed, verdict.Invalid} {
		if counts[v] > 0 {
			one := newChip(v)
			one.N = counts[v]
			p.Counts = append(p.Counts, one)
		}
	}
	p.Sentence = map[verdict.Status]string{
		verdict.StatusGood:    "Every judge found what the catalogue expects: stock shows the fault, fixed does not, and the rest is as it was.",
		verdict.StatusRed:     "A judge saw something else than the catalogue expects. What it saw is listed below.",
		verdict.StatusInvalid: "Nothing is red, but something was not run to the point where its rule applies. It is listed below.",
	}[p.Status]
	minors = slices.Compact(slices.Sorted(slices.Values(minors)))
	p.Facts = append(p.Facts, fact{"Kubernetes", strings.Join(minors, ", ")}, fact{"levels", strings.Join(names, ", ")})
	p.Facts = append(p.Facts, versionFacts(runs)...)
	if len(took) > 0 {
		p.Facts = append(p.Facts, fact{"took", strings.Join(took, ", ")})
	}
}

func newMedians(run result.Run) (medians, bool) {
	m := medians{Name: run.Name}
	var most float64
	for _, arm := range run.Arms {
		median, _ := run.Forced(arm)
		most = max(most, median)
	}
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

// versionFacts returns the programs of the runs, each with its versions on each arm.
func versionFacts(runs []result.Run) []fact {
	versions := map[string]map[verdict.Arm][]string{}
	for _, run := range runs {
		for key, h := range run.Histories {
			for program, version := range h.Versions {
				if versions[program] == nil {
					versions[program] = map[verdict.Arm][]string{}
				}
				versions[program][key.Arm] = append(versions[program][key.Arm], version)
			}
		}
	}
	var facts []fact
	for _, program := range slices.Sorted(maps.Keys(versions)) {
		var each []string
		for _, arm := range verdict.Arms() {
			if all := slices.Compact(slices.Sorted(slices.Values(versions[program][arm]))); len(all) > 0 {
				each = append(each, strings.Join(all, ", "))
			}
		}
		value := each[0]
		if same := slices.Compact(each); len(same) > 1 {
			value = strings.Join(same, " against ")
		}
		facts = append(facts, fact{program, value})
	}
	return facts
}
