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

package e2enode

import (
	"fmt"

	"github.com/kgrace/kgrace/internal/junit"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Names of the files that write creates. They must not match results-….json: the report reads such files in that folder as
// results of scenarios.
const (
	ResultsFile = "e2e-node.json"
	JUnitFile   = "junit-e2e-node.xml"
)

// write writes the results as JSON and as JUnit into dir.
func write(dir string, results []Result) error {
	return junit.Write(dir, ResultsFile, results, JUnitFile, junit.Suites("e2e-node", verdict.Arms(), cases(results)))
}

func cases(results []Result) []junit.Case {
	var all []junit.Case
	for _, r := range results {
		all = append(all, junit.Case{Arm: r.Arm, Name: r.Spec, Verdict: r.Verdict, Why: r.Why, Message: r.Message, Output: r.Why, Seconds: r.Seconds})
	}
	return all
}

// Counts returns how many results are good, red, and neither.
func Counts(results []Result) (good, red, invalid int) { return junit.Counts(cases(results)) }

// Summary summarizes the results in one line.
func Summary(results []Result) string {
	good, red, invalid := Counts(results)
	own := 0
	for _, r := range results {
		if r.Own {
			own++
		}
	}
	return fmt.Sprintf("%d verdicts on specs of the series, %d on upstream's; %d as expected, %d red, %d invalid", own, len(results)-own, good, red, invalid)
}
