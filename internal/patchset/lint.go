// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Known lists the values that the trailers of a patch may name.
type Known struct {
	// Rules are those of the contract; the patches of a series together must claim all of them.
	Rules []string
	// Scenarios are those of the catalogue.
	Scenarios []string
}

// Problem is a violation of a convention by a patch or the series. Text describes it and shows the correct form.
type Problem struct {
	// Patch is the file's name; empty for the series as a whole.
	Patch string
	Text  string
}

func (p Problem) String() string {
	if p.Patch == "" {
		return SeriesFile + ": " + p.Text
	}
	return p.Patch + ": " + p.Text
}

// Lint checks the series against the conventions of this project and returns every problem. It returns an error only if it
// could not check.
func (s *Series) Lint(ctx context.Context, known Known) ([]Problem, error) {
	problems, err := s.lintFiles()
	if err != nil {
		return nil, err
	}
	claimed := map[string]bool{}
	for i, p := range s.Patches {
		add := func(format string, args ...any) {
			problems = append(problems, Problem{Patch: p.Name, Text: fmt.Sprintf(format, args...)})
		}
		if want := FileName(i+1, p.Subject); p.Name != want {
			add("as number %d of the series and with its subject the file must be called %s; run `kgrace patch extract`", i+1, want)
		}
		lintMessage(p, add)
		lintChange(p, add)
		trailers, err := p.Trailers(ctx)
		if err != nil {
			return nil, err
		}
		lintTrailers(p, trailers, known, add)
		for _, t := range trailers {
			if t.Key == "Contract" {
				for _, rule := range splitList(t.Value) {
					claimed[rule] = true
				}
			}
		}
	}
	for _, rule := range known.Rules {
		if !claimed[rule] {
			problems = append(problems, Problem{Text: fmt.Sprintf("no patch claims rule %s in its Contract trailer; a series implements the whole contract", rule)})
		}
	}
	return problems, nil
}

// lintFiles compares the series file with the directory.
func (s *Series) lintFiles() ([]Problem, error) {
	var problems []Problem
	seen := map[string]bool{}
	for _, p := range s.Patches {
		if seen[p.Name] {
			problems = append(problems, Problem{Text: fmt.Sprintf("lists %s more than once; a patch applies once: remove one line", p.Name)})
		}
		seen[p.Name] = true
	}
	files, err := patchFiles(s.Dir)
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		if !seen[name] {
			problems = append(problems, Problem{Text: fmt.Sprintf("does not list %s, which is in the same directory; add the line, or remove the file", name)})
		}
	}
	return problems, nil
}

// splitList splits "R1, R3" and "R1 R3".
func splitList(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
}

// duplicates returns the items that occur more than once.
func duplicates(items []string) []string {
	var twice []string
	for i, item := range items {
		if slices.Contains(items[:i], item) && !slices.Contains(twice, item) {
			twice = append(twice, item)
		}
	}
	return twice
}
