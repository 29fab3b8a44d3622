// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package try tries mutants (package mutant) one after the other: at the sim level on a suite compiled with the mutant, or on a
// real node whose kubelet has it. The broken kubelet is real; what runs it is that of the level.
package try

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/mutant"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Runner tries mutants on the fixed tree of a minor.
type Runner struct {
	Repo     *kubetree.Repo
	Tree     *kubetree.Tree
	Progress io.Writer
}

// Result is the result of one mutant.
type Result struct {
	Mutant string    `json:"mutant"`
	What   string    `json:"what"`
	File   string    `json:"file"`
	Caught bool      `json:"caught"`
	By     []Catcher `json:"by,omitempty"`
	// Seconds includes compiling.
	Seconds float64 `json:"seconds"`
	// Missed are the scenarios that the mutant names and that were not red; Err is why it could not be tried.
	Missed []string `json:"-"`
	Err    error    `json:"-"`
}

// Catcher is a scenario in which a rule was broken.
type Catcher struct {
	Scenario string        `json:"scenario"`
	Rule     scenario.Rule `json:"rule"`
	Why      string        `json:"why"`
}

// each tries the mutants in turn, until the context ends.
func (r Runner) each(ctx context.Context, all []mutant.Mutant, try func(mutant.Mutant) (by []Catcher, missed []string, err error)) ([]Result, error) {
	var results []Result
	for i, m := range all {
		begin := time.Now()
		fmt.Fprintf(r.Progress, "mutants: %d of %d: %s: %s\n", i+1, len(all), m.Name, m.What)
		one := Result{Mutant: m.Name, What: m.What, File: m.File}
		one.By, one.Missed, one.Err = try(m)
		if ctx.Err() != nil {
			return nil, errors.Join(ctx.Err(), one.Err)
		}
		one.Caught = one.Err == nil && len(one.By) > 0 && len(one.Missed) == 0
		one.Seconds = time.Since(begin).Seconds()
		fmt.Fprintf(r.Progress, "mutants: %s: %s (%.0f s)\n", m.Name, one, one.Seconds)
		results = append(results, one)
	}
	return results, nil
}

// String names what caught the mutant: the first three and the number of the others.
func (r Result) String() string {
	switch {
	case r.Err != nil:
		return "ERROR"
	case !r.Caught:
		return strings.TrimSpace("SURVIVED " + strings.Join(r.Missed, ", "))
	}
	var words []string
	for _, c := range r.By[:min(len(r.By), 3)] {
		words = append(words, fmt.Sprintf("%s (%s)", c.Scenario, c.Rule))
	}
	text := strings.Join(words, ", ")
	if more := len(r.By) - len(words); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Judge returns an error if a mutant survived or could not be tried, and whether one survived.
func Judge(results []Result) (survived bool, err error) {
	var names []string
	var errs []error
	for _, r := range results {
		if r.Err != nil {
			errs = append(errs, fmt.Errorf("mutant %s: %w", r.Mutant, r.Err))
		} else if !r.Caught {
			names = append(names, r.Mutant)
		}
	}
	if len(names) > 0 {
		errs = append(errs, fmt.Errorf("%d of %d mutants survived: %s", len(names), len(results), strings.Join(names, ", ")))
	}
	return len(names) > 0, errors.Join(errs...)
}

// caughtBy returns the rules that a judge found broken, and NoLeftovers where goroutines were left.
func caughtBy(results result.Results) (by []Catcher) {
	for _, one := range results.Results {
		for _, rule := range one.Rules {
			switch {
			case rule.Verdict.Red():
				by = append(by, Catcher{one.Scenario, rule.Rule, rule.Why})
			case strings.Contains(rule.Why, result.Leftover):
				by = append(by, Catcher{one.Scenario, scenario.NoLeftovers, result.Leftover})
			}
		}
	}
	return by
}
