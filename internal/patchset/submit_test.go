// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var submitter = Person{Name: "Zoë J. Other", Address: "zoe@example.net"}

func TestSubmit(t *testing.T) {
	u := newUpstream(t)
	s := u.series()
	dir := filepath.Join(t.TempDir(), "submit", "v1.99")
	signer := Person{Name: "Sign Er", Address: "signer@example.net"}
	written, err := s.Submit(Submission{Author: submitter, SignOff: signer, Dir: dir})
	if err != nil || len(written) != 2 {
		t.Fatalf("wrote %v, %v", written, err)
	}
	for i, path := range written {
		if want := filepath.Join(dir, s.Patches[i].Name); path != want {
			t.Errorf("wrote %s, want %s", path, want)
		}
	}
	// git am creates the same trees from them, by another author.
	if err := s.Apply(t.Context(), u.dir); err != nil {
		t.Fatal(err)
	}
	trees := u.git("log", "--reverse", "--format=%T %s %aI", u.base+"..HEAD")
	u.git("reset", "--quiet", "--hard", u.base)
	u.git(append([]string{"am", "--quiet"}, written...)...)
	if got := u.git("log", "--reverse", "--format=%T %s %aI", u.base+"..HEAD"); got != trees {
		t.Errorf("got\n%s\nthe series gives\n%s", got, trees)
	}
	const want = "Zoë J. Other <zoe@example.net>\nThe body says why.\n\nSigned-off-by: Sign Er <signer@example.net>"
	for _, commit := range []string{"HEAD~1", "HEAD"} {
		if got := u.git("log", "-1", "--format=%an <%ae>%n%b", commit); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", commit, got, want)
		}
	}
}

// The header of a mail folds a long name; nothing of the first author may remain.
func TestSubmitReplacesAFoldedAuthor(t *testing.T) {
	u := newUpstream(t)
	p := u.series().Patches[0]
	data := strings.Replace(string(p.Data), "From: A Person <person@example.org>", "From: =?UTF-8?q?=C3=85?=\n =?UTF-8?q?=C3=96?= <person@example.org>", 1)
	p, err := Parse(p.Name, []byte(data))
	if err != nil || p.Author != "ÅÖ <person@example.org>" {
		t.Fatalf("author %q, %v", p.Author, err)
	}
	mail, err := p.submission(submitter, submitter)
	if err != nil || strings.Contains(string(mail), "person@") || strings.Contains(string(mail), "=96") {
		t.Errorf("%v\n%s", err, mail)
	}
}

func TestSubmitRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ old, new, want string }{
		"a mention":                 {"says why.", "says why, thanks to @someone.", "mentions @someone"},
		"a closing keyword":         {"says why.", "says why. Fixes #83916", "would close the issue"},
		"no body":                   {"The body says why.\n\n", "", "no body besides its trailers"},
		"a trailer inside the text": {"Contract: R1, R3\n", "Contract: R1, R3\n\n", `"Contract: R1, R3" is a trailer that precedes`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newUpstream(t).series()
			text := strings.Replace(string(s.Patches[1].Data), tc.old, tc.new, 1)
			if text == string(s.Patches[1].Data) {
				t.Fatal("the patch was not spoilt")
			}
			var err error
			if s.Patches[1], err = Parse(s.Patches[1].Name, []byte(text)); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "submit")
			_, err = s.Submit(Submission{Author: submitter, SignOff: submitter, Dir: dir})
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), s.Patches[1].Name) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if _, err := os.Stat(dir); !os.IsNotExist(err) {
				t.Errorf("the directory is there: %v", err)
			}
		})
	}
}

func TestSubmitKeepsWhatIsThere(t *testing.T) {
	u := newUpstream(t)
	s := u.series()
	dir := t.TempDir()
	to := Submission{Author: submitter, SignOff: submitter, Dir: dir}
	mine, stale := filepath.Join(dir, "notes.txt"), filepath.Join(dir, "0003-of-an-older-series.patch")
	write(t, mine, "mine")
	write(t, stale, "old")
	if _, err := s.Submit(to); err == nil || !strings.Contains(err.Error(), filepath.Base(stale)) || !strings.Contains(err.Error(), "--overwrite") {
		t.Errorf("patches are in the way: %v", err)
	}
	if read(t, stale) != "old" {
		t.Error("it was touched")
	}
	to.Overwrite = true
	if _, err := s.Submit(to); err != nil {
		t.Fatal(err)
	}
	if names, err := patchFiles(dir); err != nil || len(names) != 2 || read(t, mine) != "mine" {
		t.Errorf("patches %v, %v", names, err)
	}
	to.Dir = s.Dir
	before := read(t, filepath.Join(s.Dir, s.Patches[0].Name))
	if _, err := s.Submit(to); err == nil || !strings.Contains(err.Error(), "the directory of a series") || read(t, filepath.Join(s.Dir, s.Patches[0].Name)) != before {
		t.Errorf("into the series itself: %v", err)
	}
}

func TestIdentity(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, "config"))
	for config, want := range map[string]string{
		"":                          "no user.name",
		"[user]\nname = A Person\n": "no user.email",
		"[user]\nname = A Person\nemail = person\n":             `"A Person <person>" is not a name and an address`,
		"[user]\nname = A Person\nemail = person@example.org\n": "",
	} {
		write(t, filepath.Join(dir, "config"), config)
		who, err := Identity(t.Context(), dir)
		switch {
		case want == "" && (err != nil || who.String() != "A Person <person@example.org>"):
			t.Errorf("%q: %v, %v", config, who, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", config, err, want)
		}
	}
}
