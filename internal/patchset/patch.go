// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/mail"
	"regexp"
	"strings"
)

// Patch is one commit as a mail.
type Patch struct {
	// Name is the file's name without its directory.
	Name string
	// Data is the content of the file, byte for byte.
	Data []byte
	// Author as "Name <address>", Date as in the mail.
	Author, Date string
	// Subject is without the "[PATCH]" that git am strips.
	Subject string
	// Body is the commit message after the subject, trailers included.
	Body string
	// Diff is everything after the commit message.
	Diff string
	// Files are the changed files, in the order of the diff.
	Files []File
}

// Trailer is one "Key: value" line at the end of a commit message.
type Trailer struct{ Key, Value string }

// Parse parses a patch as git format-patch writes it.
func Parse(name string, data []byte) (*Patch, error) {
	first, rest, ok := bytes.Cut(data, []byte("\n"))
	if !ok || !bytes.HasPrefix(first, []byte("From ")) {
		return nil, fmt.Errorf("%s: does not begin with a \"From <commit>\" line: it is not a patch as git format-patch writes it; write it with `kgrace patch extract`", name)
	}
	msg, err := mail.ReadMessage(bytes.NewReader(rest))
	if err != nil {
		return nil, fmt.Errorf("%s: mail header: %w; write the patch with `kgrace patch extract`", name, err)
	}
	p := &Patch{Name: name, Data: data, Date: msg.Header.Get("Date")}
	var dec mime.WordDecoder
	header := func(key string) (string, error) {
		v, err := dec.DecodeHeader(msg.Header.Get(key))
		if err != nil {
			return "", fmt.Errorf("%s: %s: %w", name, key, err)
		}
		if v == "" {
			return "", fmt.Errorf("%s: no %s in the mail header; write the patch with `kgrace patch extract`", name, key)
		}
		if strings.ContainsAny(v, "\r\n") {
			return "", fmt.Errorf("%s: %s %q has a line break; write the patch with `kgrace patch extract`", name, key, v)
		}
		return v, nil
	}
	if p.Author, err = header("From"); err != nil {
		return nil, err
	}
	if p.Subject, err = header("Subject"); err != nil {
		return nil, err
	}
	p.Subject = strings.TrimPrefix(p.Subject, "[PATCH] ")
	var body bytes.Buffer
	if _, err := body.ReadFrom(msg.Body); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	message, diff := splitMessage(body.String())
	p.Body, p.Diff = strings.TrimSpace(message), diff
	if p.Files, err = parseDiff(diff); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// messageEnd matches the line at which git am ends a commit message, wherever it occurs.
var messageEnd = regexp.MustCompile(`^(?:---\s*$|--- \S|diff -|Index: )`)

// splitMessage splits a mail's body where git am does.
func splitMessage(body string) (message, diff string) {
	at := 0
	for line := range strings.Lines(body) {
		if messageEnd.MatchString(line) {
			break
		}
		at += len(line)
	}
	return body[:at], body[at:]
}

// Message returns the commit message that git am creates from the patch.
func (p *Patch) Message() string {
	if p.Body == "" {
		return p.Subject + "\n"
	}
	return p.Subject + "\n\n" + p.Body + "\n"
}

// Trailers returns the trailers of the message as git parses them, in order.
func (p *Patch) Trailers(ctx context.Context) ([]Trailer, error) {
	out, err := git(ctx, ".", []byte(p.Message()), "interpret-trailers", "--parse", "--no-divider")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	var trailers []Trailer
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		if key, value, ok := strings.Cut(line, ":"); ok {
			trailers = append(trailers, Trailer{Key: key, Value: strings.TrimSpace(value)})
		}
	}
	return trailers, nil
}
