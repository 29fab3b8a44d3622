// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"fmt"
	"slices"
	"strings"
)

// LeftOff is a patch of the leading series that another minor omits. Only the last patches of the leading series can be
// omitted, and only those that contain nothing but tests: a minor without one implements every rule.
type LeftOff struct {
	Subject string `json:"subject" yaml:"subject"`
	Reason  string `json:"reason" yaml:"reason"`
}

// CompareSubjects compares the series of one minor with that of the leading minor. The subjects and their order must be the
// same, except for patches that are left off with a reason, and for backports after all others: the leading minor has those
// from upstream and needs no patch for them. It returns the differences.
func (s *Series) CompareSubjects(lead *Series, leadName string, leftOff []LeftOff) []Problem {
	var problems []Problem
	add := func(patch, format string, args ...any) {
		problems = append(problems, Problem{Patch: patch, Text: fmt.Sprintf(format, args...)})
	}
	patches := s.Patches
	want := lead.subjects()
	for n := len(patches); n > 0 && patches[n-1].isBackport() && !slices.Contains(want, patches[n-1].Subject); n-- {
		patches = patches[:n-1]
	}
	have := (&Series{Patches: patches}).subjects()
	for _, problem := range checkLeftOff(leftOff, have, lead, leadName) {
		add("", "%s", problem)
	}
	want = slices.DeleteFunc(want, func(subject string) bool {
		return slices.ContainsFunc(leftOff, func(l LeftOff) bool { return l.Subject == subject })
	})
	for i, p := range patches {
		switch at := slices.Index(want, p.Subject); {
		case at < 0:
			add(p.Name, "no patch of %s has this subject; a patch has the same subject on all minors, except for a last patch with Upstream-Status: Backport", leadName)
		case at != i && len(have) == len(want):
			add(p.Name, "is at place %d of its series and at place %d of %s; the order must be the same on all minors", i+1, at+1, leadName)
		}
	}
	for _, subject := range want {
		if !slices.Contains(have, subject) {
			add("", "has no patch %q, which %s has; if the minor needs less of it, explain that in the patch's message; if it omits a last patch of tests, "+
				"give the reason under leavesOff in intree.yaml", subject, leadName)
		}
	}
	return problems
}

// checkLeftOff returns the problems of a list of patches that are left off.
func checkLeftOff(leftOff []LeftOff, have []string, lead *Series, leadName string) []string {
	var problems []string
	want := lead.subjects()
	for i, l := range leftOff {
		at := slices.Index(want, l.Subject)
		switch {
		case slices.ContainsFunc(leftOff[:i], func(other LeftOff) bool { return other.Subject == l.Subject }):
			problems = append(problems, fmt.Sprintf("leaves off %q twice", l.Subject))
		case at < 0:
			problems = append(problems, fmt.Sprintf("leaves off %q, which %s does not have", l.Subject, leadName))
		case slices.Contains(have, l.Subject):
			problems = append(problems, fmt.Sprintf("leaves off %q, but has it", l.Subject))
		case strings.TrimSpace(l.Reason) == "":
			problems = append(problems, fmt.Sprintf("leaves off %q and gives no reason", l.Subject))
		case at < len(want)-len(leftOff):
			problems = append(problems, fmt.Sprintf("leaves off %q, which is patch %d of %d of %s; only the last ones can be left off", l.Subject, at+1, len(want), leadName))
		case !lead.Patches[at].onlyTests():
			problems = append(problems, fmt.Sprintf("leaves off %q, which touches more than files under test/; a series implements the whole contract", l.Subject))
		}
	}
	return problems
}

// onlyTests reports whether the patch changes only files under test/, which no program of Kubernetes is built from.
func (p *Patch) onlyTests() bool {
	return len(p.Files) > 0 && !slices.ContainsFunc(p.Files, func(f File) bool { return !strings.HasPrefix(f.Path, "test/") })
}

func (s *Series) subjects() []string {
	var subjects []string
	for _, p := range s.Patches {
		subjects = append(subjects, p.Subject)
	}
	return subjects
}

// isBackport reports whether upstream has the patch in a later minor, according to the patch's own trailer, whose form lint
// checks.
func (p *Patch) isBackport() bool {
	return strings.Contains(p.Body, "\nUpstream-Status: Backport ")
}
