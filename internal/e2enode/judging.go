// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package e2enode

import (
	"fmt"
	"slices"

	"github.com/kgrace/kgrace/internal/intree"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Result is the verdict on one spec on one arm.
type Result struct {
	Spec string `json:"spec"`
	// Own specs come with the series; the others are upstream's.
	Own     bool            `json:"own"`
	Arm     verdict.Arm     `json:"arm"`
	Verdict verdict.Verdict `json:"verdict"`
	// Why is the decisive reason; Message is the spec's message if the verdict is not as expected.
	Why     string  `json:"why,omitempty"`
	Message string  `json:"message,omitempty"`
	Seconds float64 `json:"seconds"`
	// Passed reports whether the spec passed, regardless of the verdict.
	Passed bool `json:"passed"`
}

func (r *Result) set(v verdict.Verdict, why string) { r.Verdict, r.Why = v, why }

// judge returns a verdict on every spec that is expected on an arm, and on every other one that ran.
func judge(arm verdict.Arm, specs selection, outcomes []Outcome) []Result {
	var results []Result
	find := func(text string) *Outcome {
		i := slices.IndexFunc(outcomes, func(o Outcome) bool { return o.Text == text })
		if i < 0 {
			return nil
		}
		return &outcomes[i]
	}
	add := func(text string, isOwn bool, o *Outcome, decide func(r *Result)) {
		r := Result{Spec: text, Own: isOwn, Arm: arm, Verdict: verdict.Invalid, Why: "the spec did not run"}
		if o != nil {
			r.Seconds, r.Passed = o.Seconds, o.passed()
			if decide(&r); !r.Verdict.Good() {
				r.Message = o.Message
				if o.Where != "" {
					r.Message += "\nin " + o.Where
				}
			}
		}
		results = append(results, r)
	}
	for _, s := range specs.own {
		o := find(s.Text)
		add(s.Text, true, o, func(r *Result) { judgeOwn(r, s, *o) })
	}
	if specs.neighbours == nil {
		return results
	}
	isOwn := func(text string) bool {
		return slices.ContainsFunc(specs.own, func(s intree.Spec) bool { return s.Text == text })
	}
	for _, o := range outcomes {
		if !isOwn(o.Text) {
			known, ok := specs.neighbours.find(o.Text)
			add(o.Text, false, &o, func(r *Result) { judgeNeighbour(r, known, ok, o) })
		}
	}
	for _, k := range specs.neighbours.Known {
		if find(k.Text) == nil {
			add(k.Text, false, nil, nil)
		}
	}
	return results
}

// judgeOwn judges a spec of the series: with a reason it must fail on stock, for that reason only.
func judgeOwn(r *Result, s intree.Spec, o Outcome) {
	broken := s.Kept == ""
	switch {
	case o.skipped():
		r.set(verdict.Invalid, "the spec skips itself: "+o.said())
	case o.passed() && !broken:
		r.set(verdict.Kept, s.Kept)
	case o.passed() && r.Arm == verdict.Stock:
		r.set(verdict.NotReproduced, "the spec passes on stock: upstream has fixed the fault, or the spec no longer detects it")
	case o.passed():
		r.set(verdict.Repaired, "")
	case !broken:
		r.set(verdict.Regressed, o.said())
	case r.Arm != verdict.Stock:
		r.set(verdict.StillBroken, o.said())
	case s.FailsWith(o.Message):
		r.set(verdict.Reproduced, o.said())
	default:
		r.set(verdict.Invalid, fmt.Sprintf("the spec fails on stock, but its message does not match the reason %q: %s", s.Reason, o.said()))
	}
}

// judgeNeighbour judges one of upstream's specs: it must pass on both arms, unless it is known not to.
func judgeNeighbour(r *Result, known Known, isKnown bool, o Outcome) {
	switch {
	case isKnown && (o.passed() || o.skipped() != known.Skipped || !known.reason.MatchString(o.Message)):
		what := "passes"
		if !o.passed() {
			what = o.State + ": " + o.said()
		}
		r.set(verdict.Invalid, fmt.Sprintf("neighbours.yaml lists the message %q, but the spec %s", known.Reason, what))
	case isKnown:
		r.set(verdict.Kept, "does not pass on either arm: "+known.Why)
	case o.passed():
		r.set(verdict.Kept, "")
	case o.skipped():
		r.set(verdict.Invalid, "the spec skips itself, and neighbours.yaml has no reason for it: "+o.said())
	case r.Arm == verdict.Fixed:
		r.set(verdict.Regressed, o.said())
	default:
		r.set(verdict.Invalid, "upstream's own spec fails on stock: "+o.said())
	}
}

// checkCount returns an error if too few of upstream's specs ran.
func (n *Neighbours) checkCount(results []Result) error {
	count := map[verdict.Arm]int{}
	for _, r := range results {
		if !r.Own && r.Verdict != verdict.Invalid {
			count[r.Arm]++
		}
	}
	for arm, got := range count {
		if got < n.AtLeast {
			return fmt.Errorf("only %d of upstream's specs ran on %s, want at least %d: does the focus in neighbours.yaml still match them?", got, arm, n.AtLeast)
		}
	}
	if len(count) == 0 {
		return fmt.Errorf("none of upstream's specs ran, want at least %d", n.AtLeast)
	}
	return nil
}
