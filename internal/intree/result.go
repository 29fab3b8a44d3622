// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package intree

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/kgrace/kgrace/internal/verdict"
)

// each takes the place of an arm for a tree with a part of the series.
const each verdict.Arm = "each"

// Result of one test, or of one whole package, on one arm.
type Result struct {
	Package string          `json:"package"`
	Test    string          `json:"test,omitempty"` // empty for a whole package
	Arm     verdict.Arm     `json:"arm"`
	Verdict verdict.Verdict `json:"verdict"`
	// Why is the decisive line of output. Output is the whole output if the verdict is not as expected.
	Why     string  `json:"why,omitempty"`
	Output  string  `json:"output,omitempty"`
	Seconds float64 `json:"seconds"`
	// Passed is the number of passed tests of a whole package.
	Passed int `json:"passed,omitempty"`
}

// Good reports whether the verdict is that of a proved series.
func (r Result) Good() bool { return r.Verdict.Good() }

// Name returns the name of the test or package with its arm.
func (r Result) Name() string {
	if r.Test == "" {
		return r.Package
	}
	return r.Package + "." + r.Test
}

func (r *Result) set(v verdict.Verdict, why string) { r.Verdict, r.Why = v, why }

// judgeCompile sets the verdict on a test that stock cannot compile.
func (r *Result) judgeCompile(d Declared, said []string) {
	for _, text := range said {
		if d.reason.MatchString(text) {
			r.set(verdict.Reproduced, "compiler: "+text)
			return
		}
	}
	r.set(verdict.Invalid, fmt.Sprintf("stock cannot compile it, and no compiler error matches the reason %q: %s", d.Reason, strings.Join(said, "; ")))
}

var (
	timedOut = regexp.MustCompile(`(?m)^panic: test timed out after`)
	panicked = regexp.MustCompile(`(?m)^(?:panic|fatal error): `)
)

// judgeRun sets the verdict on a test that ran on stock by itself.
func (r *Result) judgeRun(d Declared, ran ran) {
	started := strings.Contains(ran.output, "=== RUN   "+d.Test+"\n")
	failed := strings.Contains(ran.output, "--- FAIL: "+d.Test+" ") || panicked.MatchString(ran.output)
	reason := ""
	if d.reason != nil {
		reason = matchingText(d.reason, ran.output)
	}
	switch {
	case !started:
		r.set(verdict.Invalid, "the test did not run; is the name right?")
	case timedOut.MatchString(ran.output):
		r.set(verdict.Invalid, fmt.Sprintf("the test did not end within %s; a timeout is not a valid reason: let the test give up by itself", testLimit))
	case strings.Contains(ran.output, "--- SKIP: "+d.Test+" "):
		r.set(verdict.Invalid, "the test was skipped")
	case !ran.failed && d.Kept != "":
		r.set(verdict.Kept, ran.form)
	case !ran.failed:
		r.set(verdict.NotReproduced, "the test passes on stock: upstream has fixed the fault, or the test no longer detects it")
	case d.Kept != "":
		r.set(verdict.Regressed, "the test is marked as kept, but fails on stock")
	case failed && reason != "":
		r.set(verdict.Reproduced, reason)
	default:
		r.set(verdict.Invalid, fmt.Sprintf("the test fails on stock, but its output does not match the reason %q", d.Reason))
	}
	if !r.Good() {
		r.Output = ran.output
	}
}

// matchingText returns the lines that a pattern matches, from the first to the last, as one line.
func matchingText(re *regexp.Regexp, text string) string {
	at := re.FindStringIndex(text)
	if at == nil {
		return ""
	}
	start := strings.LastIndex(text[:at[0]], "\n") + 1
	return strings.Join(strings.Fields(text[start:at[1]]+firstLine(text[at[1]:])), " ")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
