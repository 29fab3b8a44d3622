// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"math"
	"slices"

	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Missing is the verdict on a scenario that was requested and has no result, because the run was cut short. No rule has it.
const Missing verdict.Verdict = "missing"

// severity holds the verdicts in order, the worst first; a repair comes before a kept rule.
var severity = []verdict.Verdict{verdict.Regressed, verdict.StillBroken, verdict.NotReproduced, verdict.Invalid, Missing,
	verdict.Reproduced, verdict.Repaired, verdict.Kept}

// Severity returns the place of a verdict among all, the worst first.
func Severity(v verdict.Verdict) int { return slices.Index(severity, v) }

// Lead returns the verdict that represents the result: the worst.
func (r Result) Lead() verdict.Verdict {
	for _, v := range severity {
		if slices.ContainsFunc(r.Rules, func(one Rule) bool { return one.Verdict == v }) {
			return v
		}
	}
	return verdict.Invalid
}

// LeadOf returns the verdict that represents a scenario on an arm.
func (r Results) LeadOf(id string, arm verdict.Arm) verdict.Verdict {
	one, ok := r.Find(id, arm)
	if !ok {
		return Missing
	}
	return one.Lead()
}

// Tally counts verdicts.
type Tally map[verdict.Verdict]int

// Of returns the counts in the order in which people read them: what is expected first, then what is not.
func (t Tally) Of() (verdicts []verdict.Verdict) {
	for _, v := range []verdict.Verdict{verdict.Reproduced, verdict.Repaired, verdict.Kept, verdict.NotReproduced, verdict.StillBroken,
		verdict.Regressed, verdict.Invalid, Missing} {
		if t[v] > 0 {
			verdicts = append(verdicts, v)
		}
	}
	return verdicts
}

// Add adds the counts of another tally.
func (t Tally) Add(other Tally) {
	for v, n := range other {
		t[v] += n
	}
}

// Judged counts the verdicts on all rules; a scenario without a result counts once, as missing.
func (r Results) Judged() Tally {
	t := Tally{}
	for _, id := range r.Scenarios {
		for _, arm := range r.Arms {
			one, ok := r.Find(id, arm)
			if !ok {
				t[Missing]++
			}
			for _, rule := range one.Rules {
				t[rule.Verdict]++
			}
		}
	}
	return t
}

// Leads counts the scenarios of one arm by the verdicts that represent them.
func (r Results) Leads(arm verdict.Arm) Tally {
	t := Tally{}
	for _, id := range r.Scenarios {
		t[r.LeadOf(id, arm)]++
	}
	return t
}

// Fault is something that is not as expected: the verdict on a rule, or a missing result.
type Fault struct {
	Scenario string
	Arm      verdict.Arm
	Verdict  verdict.Verdict
	// Rule is empty for a missing result.
	Rule scenario.Rule
	Why  string
}

func (f Fault) String() string {
	if f.Rule == "" {
		return fmt.Sprintf("%s on %s: %s", f.Scenario, f.Arm, f.Why)
	}
	return fmt.Sprintf("%s on %s: %s (%s) %s: %s", f.Scenario, f.Arm, f.Rule, f.Rule.Title(), f.Verdict, f.Why)
}

// Note describes the finding of one rule in one line.
func (r Result) Note(rule Rule) string { return r.fault(rule).String() }

func (r Result) fault(rule Rule) Fault {
	return Fault{Scenario: r.Scenario, Arm: r.Arm, Verdict: rule.Verdict, Rule: rule.Rule, Why: rule.Why}
}

// Faults returns the faults of a scenario, by arm and in the order of its rules.
func (r Results) Faults(id string) []Fault {
	var faults []Fault
	for _, arm := range r.Arms {
		one, ok := r.Find(id, arm)
		if !ok {
			faults = append(faults, Fault{Scenario: id, Arm: arm, Verdict: Missing, Why: "no result; the run was cut short"})
		}
		for _, rule := range one.Rules {
			if !rule.Verdict.Good() {
				faults = append(faults, one.fault(rule))
			}
		}
	}
	return faults
}

// notable is by how many seconds the arms' deaths must differ for a kept scenario to need an explanation: the slack that the
// judges grant a real node, so a busy machine needs none.
const notable = 1.5

// Apart reports whether every rule of a scenario is kept on both arms although their containers died at notably different times.
func (r Results) Apart(id string) bool {
	var dead []float64
	for _, arm := range r.Arms {
		one, _ := r.Find(id, arm)
		if one.Dead == nil || len(one.Rules) == 0 ||
			slices.ContainsFunc(one.Rules, func(rule Rule) bool { return rule.Verdict != verdict.Kept }) {
			return false
		}
		dead = append(dead, *one.Dead)
	}
	return len(dead) == 2 && math.Abs(dead[0]-dead[1]) > notable
}
