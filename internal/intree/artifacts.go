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
