// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"regexp"
	"slices"
	"strings"
)

// trailerRule is one required trailer: its form, and an example for error messages.
type trailerRule struct {
	key     string
	form    *regexp.Regexp
	example string
}

const upstreamRef = `(?:https://github\.com/[\w.-]+/[\w.-]+/(?:issues|pull)/\d+|(?:(?:[\w.-]+/[\w.-]+)?#)?\d+)`

var trailerRules = []trailerRule{
	{"Upstream-Status", regexp.MustCompile(`^(?:Pending|Submitted https://\S+|Backport [0-9a-f]{40}|Inappropriate \S.+)$`),
		"one of \"Pending\", \"Submitted https://github.com/kubernetes/kubernetes/pull/N\", \"Backport <40 hex digits>\", \"Inappropriate <reason>\""},
	{"Upstream-Issue", regexp.MustCompile(`^` + upstreamRef + `(?:,? ` + upstreamRef + `)*$`),
		"numbers of kubernetes/kubernetes (\"83916, 113717\") or full URLs"},
	{"Contract", regexp.MustCompile(`^R\d+(?:,? R\d+)*$`),
		"the rules of the contract that the patch implements: \"R3, R8\""},
	{"Scenarios", regexp.MustCompile(`^(?:[a-z0-9-]+(?:,? [a-z0-9-]+)*|none \(.+\))$`),
		"the scenarios that turn red without the patch: \"shorten-once, hook-exec-force\"; or \"none (why no scenario detects it)\""},
	{"Drop-When", regexp.MustCompile(`^\S+ \S+`),
		"the condition for dropping the patch: \"upstream carries it\""},
	{"Signed-off-by", person,
		"\"A Person <person@example.org>\"; use `git commit --signoff`"},
}

// lintTrailers checks the trailers of a message.
func lintTrailers(p *Patch, trailers []Trailer, known Known, add func(format string, args ...any)) {
	values := map[string][]string{}
	for _, t := range trailers {
		values[t.Key] = append(values[t.Key], t.Value)
		if !slices.ContainsFunc(trailerRules, func(r trailerRule) bool { return r.key == t.Key }) {
			add("trailer %q is not one of this project's; known are %s", t.Key, strings.Join(trailerKeys(), ", "))
		}
	}
	for _, r := range trailerRules {
		switch got := values[r.key]; {
		case len(got) == 0:
			add("no %s trailer in the last paragraph of the message; write \"%s: …\", where … is %s", r.key, r.key, r.example)
			continue
		case len(got) > 1 && r.key != "Signed-off-by":
			add("%d %s trailers; merge them into one line", len(got), r.key)
		}
		for _, value := range values[r.key] {
			if !r.form.MatchString(value) {
				add("%s is %q; write %s", r.key, value, r.example)
			}
		}
	}
	lintIDs("Contract", "rule", values["Contract"], known.Rules, add)
	lintIDs("Scenarios", "scenario", values["Scenarios"], known.Scenarios, add)
	if signed := values["Signed-off-by"]; len(signed) > 0 && !slices.Contains(signed, p.Author) {
		add("the author, %s, has not signed off (the sign-off is by %s); name and address must be the same", p.Author, strings.Join(signed, " and "))
	}
}

func lintIDs(key, what string, values, known []string, add func(format string, args ...any)) {
	for _, value := range values {
		if strings.HasPrefix(value, "none (") {
			continue
		}
		ids := splitList(value)
		for _, id := range ids {
			if !slices.Contains(known, id) {
				add("%s names %s, which is not a known %s; known are %s", key, id, what, strings.Join(known, " "))
			}
		}
		for _, id := range duplicates(ids) {
			add("%s names %s more than once", key, id)
		}
	}
}

func trailerKeys() []string {
	var keys []string
	for _, r := range trailerRules {
		keys = append(keys, r.key)
	}
	return keys
}
