// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package intree

import (
	"fmt"

	"github.com/kgrace/kgrace/internal/junit"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Write writes the results as JSON and as JUnit into dir: intree.json and junit-intree.xml.
func Write(dir string, results []Result) error {
	return junit.Write(dir, "intree.json", results, "junit-intree.xml", junit.Suites("intree", append(verdict.Arms(), each), cases(results)))
}

func cases(results []Result) []junit.Case {
	var all []junit.Case
	for _, r := range results {
		all = append(all, junit.Case{Arm: r.Arm, Name: r.Name(), Verdict: r.Verdict, Why: r.Why, Output: r.Output, Seconds: r.Seconds})
	}
	return all
}

// Counts returns how many results are good, red, and neither.
func Counts(results []Result) (good, red, invalid int) { return junit.Counts(cases(results)) }

// Summary summarizes the results in one line.
func Summary(results []Result) string {
	good, red, invalid := Counts(results)
	passed := 0
	for _, r := range results {
		if r.Arm == verdict.Fixed {
			passed += r.Passed
		}
	}
	return fmt.Sprintf("%d as expected, %d red, %d invalid; %d upstream tests pass on fixed", good, red, invalid, passed)
}
