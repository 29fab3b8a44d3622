// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxSubject is the longest subject that fits on one line of a log.
const maxSubject = 72

var (
	// subjectForm is the Kubernetes convention: the area, then what the patch does.
	subjectForm = regexp.MustCompile(`^(?:kubelet|kuberuntime|(?:pkg|test|cmd)/[A-Za-z0-9_./-]+): [a-z0-9].*[^.\s]$`)
	// mention matches an @name that GitHub would notify; in a mail address a letter precedes the @.
	mention = regexp.MustCompile(`(?:^|[^A-Za-z0-9._+-])(@[A-Za-z0-9][A-Za-z0-9-]*)`)
	// closing matches a keyword with which a merge would close an issue, here or in every fork that receives the commit.
	closing = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+(?:[\w.-]+/[\w.-]+)?(?:#|https?://github\.com/\S+/(?:issues|pull)/)\d+`)
)

// lintMessage checks the subject and the text of a patch.
func lintMessage(p *Patch, add func(format string, args ...any)) {
	if !subjectForm.MatchString(p.Subject) {
		add("subject %q; write the area, a colon and what the patch does, first letter in lower case, no full stop: \"kubelet: count the grace period from the start of termination\". "+
			"Areas: kubelet, kuberuntime, or a path under pkg/, test/ or cmd/", p.Subject)
	}
	if n := utf8.RuneCountInString(p.Subject); n > maxSubject {
		add("the subject has %d characters, at most %d fit on a line of a log; move the rest to the body", n, maxSubject)
	}
	if strings.TrimSpace(withoutTrailers(p.Body)) == "" {
		add("the message has no body; describe what was wrong, why it is done this way, and which alternatives were considered")
	}
	lintNotices(p.Subject+"\n"+p.Body, add)
}

// lintNotices checks that a message mentions no account and closes no issue.
func lintNotices(text string, add func(format string, args ...any)) {
	for _, m := range mention.FindAllStringSubmatch(text, -1) {
		add("the message mentions %s; every push of the commit would notify that account: write the name without the @", m[1])
	}
	for _, m := range closing.FindAllString(text, -1) {
		add("%q would close the issue from a commit; Kubernetes refuses that: name the issue in the Upstream-Issue trailer, or write \"see #N\"", m)
	}
}

// withoutTrailers removes the last paragraph if every line of it is "Key: value".
func withoutTrailers(body string) string {
	paragraphs := strings.Split(strings.TrimSpace(body), "\n\n")
	last := paragraphs[len(paragraphs)-1]
	for _, line := range strings.Split(last, "\n") {
		if !trailerLine.MatchString(line) {
			return body
		}
	}
	return strings.Join(paragraphs[:len(paragraphs)-1], "\n\n")
}

var trailerLine = regexp.MustCompile(`^(?:[A-Za-z-]+: \S|\s+\S)`)
