// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package junit

import (
	"github.com/onsi/ginkgo/v2/reporters"

	"github.com/kgrace/kgrace/internal/verdict"
)

// Case is the verdict on one test on an arm.
type Case struct {
	Arm     verdict.Arm
	Name    string
	Verdict verdict.Verdict
	// Why is the reason in one line; Message is the test's full message, and Output what it printed.
	Why, Message, Output string
	Seconds              float64
}

// Suites returns one suite per arm. A red verdict is a failure; one that is neither good nor red is an error.
func Suites(proof string, arms []verdict.Arm, cases []Case) reporters.JUnitTestSuites {
	var all reporters.JUnitTestSuites
	for _, arm := range arms {
		s := reporters.JUnitTestSuite{Name: proof + " " + string(arm)}
		for _, one := range cases {
			if one.Arm != arm {
				continue
			}
			c := reporters.JUnitTestCase{Name: one.Name, Classname: s.Name, Status: string(one.Verdict), Time: one.Seconds, SystemOut: one.Output}
			switch {
			case one.Verdict.Red():
				c.Failure = &reporters.JUnitFailure{Message: one.Why, Type: string(one.Verdict), Description: one.Message}
				s.Failures++
			case !one.Verdict.Good():
				c.Error = &reporters.JUnitError{Message: one.Why, Type: string(one.Verdict), Description: one.Message}
				s.Errors++
			}
			s.Tests++
			s.Time += one.Seconds
			s.TestCases = append(s.TestCases, c)
		}
		if s.Tests == 0 {
			continue
		}
		all.TestSuites = append(all.TestSuites, s)
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Time += s.Time
	}
	return all
}

// Counts returns how many verdicts are good, red, and neither.
func Counts(cases []Case) (good, red, invalid int) {
	for _, c := range cases {
		switch {
		case c.Verdict.Good():
			good++
		case c.Verdict.Red():
			red++
		default:
			invalid++
		}
	}
	return good, red, invalid
}
