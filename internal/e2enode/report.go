// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package e2enode

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/kgrace/kgrace/internal/intree"
	"github.com/kgrace/kgrace/internal/junit"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Outcome is the result of one selected spec.
type Outcome struct {
	// Text is Ginkgo's text, without labels.
	Text string `json:"spec"`
	// State is Ginkgo's state: passed, failed, skipped, ...
	State string `json:"state"`
	// Message is the message of a spec that did not pass, Where its position.
	Message string  `json:"message,omitempty"`
	Where   string  `json:"where,omitempty"`
	Seconds float64 `json:"seconds"`
}

// readReport reads Ginkgo's JSON report. It returns an error if the suite ended before its specs, or if none of its specs
// ran.
func readReport(file string) ([]Outcome, error) {
	suites, err := junit.ReadGinkgo(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, errors.New("the suite left no report")
	}
	if err != nil {
		return nil, err
	}
	var outcomes []Outcome
	var errs []error
	for _, suite := range suites {
		for _, why := range suite.SpecialSuiteFailureReasons {
			errs = append(errs, fmt.Errorf("the suite is incomplete: %s", why))
		}
		for _, s := range suite.SpecReports {
			switch {
			case s.LeafNodeType != types.NodeTypeIt:
				if s.State.Is(types.SpecStateFailureStates) {
					errs = append(errs, fmt.Errorf("%s failed: %s", s.LeafNodeType, s.Failure.Message))
				}
			case s.State == types.SpecStatePending, s.State == types.SpecStateSkipped && s.Failure.Message == "":
				// Not selected.
			default:
				outcomes = append(outcomes, outcomeOf(s))
			}
		}
	}
	if len(outcomes) == 0 {
		errs = append(errs, errors.New("no spec ran"))
	}
	return outcomes, errors.Join(errs...)
}

func outcomeOf(s types.SpecReport) Outcome {
	o := Outcome{
		Text:  intree.PlainSpec(strings.Join(append(s.ContainerHierarchyTexts, s.LeafNodeText), " ")),
		State: s.State.String(), Message: s.Failure.Message, Seconds: s.RunTime.Seconds(),
	}
	if s.Failure.Message != "" {
		o.Where = s.FailureLocation().String()
	}
	// A spec that failed and then could not clean up reports that too.
	for _, more := range s.AdditionalFailures {
		o.Message += "\n" + more.Failure.Message
	}
	return o
}

func (o Outcome) passed() bool  { return o.State == types.SpecStatePassed.String() }
func (o Outcome) skipped() bool { return o.State == types.SpecStateSkipped.String() }

// said returns the message as one line, for a table.
func (o Outcome) said() string { return strings.Join(strings.Fields(o.Message), " ") }

// Names of the files that write creates. They must not match results-….json: the report reads such files in that directory as
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
