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

package patchset

import (
	"fmt"
	"slices"
)

// CompareSubjects holds the series of one minor against that of another, which leads: the same subjects in the same order.
// It returns what differs.
func (s *Series) CompareSubjects(lead *Series, leadName string) []Problem {
	var problems []Problem
	add := func(patch, format string, args ...any) {
		problems = append(problems, Problem{Patch: patch, Text: fmt.Sprintf(format, args...)})
	}
	have, want := s.subjects(), lead.subjects()
	for i, p := range s.Patches {
		switch at := slices.Index(want, p.Subject); {
		case at < 0:
			add(p.Name, "no patch of %s has this subject; one thought has one subject over all minors", leadName)
		case at != i && len(have) == len(want):
			add(p.Name, "stands at place %d of its series and at place %d of %s; the order is the same over all minors", i+1, at+1, leadName)
		}
	}
	for _, subject := range want {
		if !slices.Contains(have, subject) {
			add("", "has no patch %q, which %s has; a minor that needs less of it says so in that patch's message", subject, leadName)
		}
	}
	return problems
}

func (s *Series) subjects() []string {
	var subjects []string
	for _, p := range s.Patches {
		subjects = append(subjects, p.Subject)
	}
	return subjects
}
