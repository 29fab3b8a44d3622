// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
)

// Person is an author, or a signer.
type Person struct{ Name, Address string }

// person matches a person as git writes one.
var person = regexp.MustCompile(`^([^<>\n]+) <([^<>@\s]+@[^<>@\s]+)>$`)

// ParsePerson parses "A Person <person@example.org>".
func ParsePerson(text string) (Person, error) {
	m := person.FindStringSubmatch(text)
	if m == nil {
		return Person{}, fmt.Errorf("%q is not a name and an address; write \"A Person <person@example.org>\"", text)
	}
	return Person{Name: m[1], Address: m[2]}, nil
}

func (p Person) String() string { return p.Name + " <" + p.Address + ">" }

// Identity returns the caller's user.name and user.email in dir. Nothing else in this package reads the caller's git
// configuration.
func Identity(ctx context.Context, dir string) (Person, error) {
	var values [2]string
	for i, key := range []string{"user.name", "user.email"} {
		out, err := tool.Run(ctx, tool.Cmd{Dir: dir, Env: os.Environ(), Args: []string{"git", "config", "--get", key}})
		if ctx.Err() != nil {
			return Person{}, err
		}
		if values[i] = strings.TrimSpace(out); err != nil || values[i] == "" {
			return Person{}, fmt.Errorf("git's configuration has no %s; set it with `git config --global %s`", key, key)
		}
	}
	return ParsePerson(values[0] + " <" + values[1] + ">")
}

// Submission sets the identities and the directory for Submit.
type Submission struct {
	Author, SignOff Person
	// Dir receives the patches.
	Dir string
	// Overwrite removes existing patches in Dir. Without it they are an error.
	Overwrite bool
}

// Submit writes the series in the form that Kubernetes accepts: patches for git am, by the author of the submission, with
// one sign-off and without the trailers of this project. Like Kubernetes, it rejects a message that mentions an account or
// closes an issue, and then writes nothing. It returns the paths of the patches in order.
func (s *Series) Submit(to Submission) ([]string, error) {
	mails := make([][]byte, len(s.Patches))
	var errs []error
	for i, p := range s.Patches {
		var err error
		mails[i], err = p.submission(to.Author, to.SignOff)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := makeRoom(to.Dir, to.Overwrite); err != nil {
		return nil, err
	}
	var written []string
	for i, p := range s.Patches {
		path := filepath.Join(to.Dir, FileName(i+1, p.Subject))
		if err := os.WriteFile(path, mails[i], 0o644); err != nil {
			return written, err
		}
		written = append(written, path)
	}
	return written, nil
}

// makeRoom makes dir a directory without patches.
func makeRoom(dir string, overwrite bool) error {
	if _, err := os.Stat(filepath.Join(dir, SeriesFile)); err == nil {
		return fmt.Errorf("%s has a file %q: it is the directory of a series, which keeps its trailers; name another", dir, SeriesFile)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	old, err := patchFiles(dir)
	if err != nil {
		return err
	}
	if len(old) > 0 && !overwrite {
		return fmt.Errorf("%s has patches already: %s; name another directory, or replace them with --overwrite", dir, strings.Join(old, " "))
	}
	for _, name := range old {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// authorHeader matches the author in the header of a mail, which may continue in indented lines.
var authorHeader = regexp.MustCompile(`(?m)^From: .*(?:\n[ \t].*)*$`)

// submission returns the patch with another author and without the trailers of this project.
func (p *Patch) submission(author, signOff Person) ([]byte, error) {
	head, rest, _ := strings.Cut(string(p.Data), "\n\n")
	from := &mail.Address{Name: author.Name, Address: author.Address}
	head = strings.Replace(head, authorHeader.FindString(head), "From: "+from.String(), 1)
	message, diff := splitMessage(rest)
	message = withoutTrailers(message)
	var errs []error
	add := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf(p.Name+": "+format, args...))
	}
	if message == "" {
		add("the message has no body besides its trailers; explain why the patch is needed")
	}
	lintNotices(fmt.Sprintf("%s\n%s\n%s", p.Subject, message, signOff), add)
	for line := range strings.Lines(message) {
		for _, key := range trailerKeys() {
			if strings.HasPrefix(line, key+":") {
				add("%q is a trailer that precedes the last paragraph, and would be submitted as text; move it there", strings.TrimSpace(line))
			}
		}
	}
	return fmt.Appendf(nil, "%s\n\n%s\n\nSigned-off-by: %s\n\n%s", head, message, signOff, diff), errors.Join(errs...)
}
