// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// moved returns a tree on a later upstream, as changed by edit, and the series written for the earlier one.
func moved(t *testing.T, edit func(u *upstream)) (*upstream, *Series) {
	t.Helper()
	u := newUpstream(t)
	s := u.series()
	edit(u)
	u.base = u.commit("v1.99.1")
	return u, s
}

// subjectsOf returns the subjects of the commits on top of the base.
func subjectsOf(u *upstream) []string {
	return strings.Split(u.git("log", "--reverse", "--format=%s", u.base+"..HEAD"), "\n")
}

var bothSubjects = []string{"kubelet: count from the start of termination", "kuberuntime: return when the context ends"}

func TestRebaseMergesWhatMovedAround(t *testing.T) {
	u, s := moved(t, func(u *upstream) { u.edit("pkg/kubelet/kubelet.go", "// line 18\n", "// line 18 and a half\n") })
	if err := s.Apply(t.Context(), u.dir); err == nil {
		t.Fatal("the series applies as it is, so this proves nothing")
	}
	if err := s.Rebase(t.Context(), u.dir); err != nil {
		t.Fatal(err)
	}
	if got := subjectsOf(u); !slices.Equal(got, bothSubjects) {
		t.Errorf("got the commits %q", got)
	}
	if text := read(t, filepath.Join(u.dir, "pkg/kubelet/kubelet.go")); !strings.Contains(text, "half\n// line 19\n// line twenty\n") {
		t.Errorf("both changes have to be in\n%s", text)
	}
	if missing, err := s.Missing(t.Context(), u.dir, u.base); err != nil || len(missing) > 0 {
		t.Errorf("missing %q, %v", missing, err)
	}
	// The author's date stays, so an unchanged patch is written as before.
	dir := s.Dir
	changes, err := Extract(t.Context(), u.dir, u.base, dir)
	if err != nil || !slices.Equal(changes.Written, []string{s.Patches[0].Name}) {
		t.Errorf("wrote %q, %v; the second patch did not change", changes.Written, err)
	}
}

func TestRebaseStopsAtTheFirstConflict(t *testing.T) {
	u, s := moved(t, func(u *upstream) {
		u.edit("pkg/kubelet/worker.go", "// worker 7\n", "// worker 7 of upstream\n")
		u.edit("pkg/kubelet/kubelet.go", "// line 1\n", "// line 0\n// line 1\n")
	})
	err := s.Rebase(t.Context(), u.dir)
	var c *Conflict
	if !errors.As(err, &c) {
		t.Fatalf("got %v, want a *Conflict", err)
	}
	if c.Index != 2 || c.Total != 2 || c.Subject != bothSubjects[1] || len(c.Places) != 1 {
		t.Fatalf("got %+v", c)
	}
	place := c.Places[0]
	lines := strings.Split(read(t, filepath.Join(u.dir, "pkg/kubelet/worker.go")), "\n")
	if place.Path != "pkg/kubelet/worker.go" || !strings.HasPrefix(lines[place.Line-1], "<<<<<<<") || !strings.HasPrefix(place.Hunk, "@@ -") {
		t.Errorf("got %+v", place)
	}
	for _, want := range []string{"patch 2 of 2", bothSubjects[1], "pkg/kubelet/worker.go:", place.Hunk, u.dir} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the message has no %q:\n%v", want, err)
		}
	}
	// ContinueRebase does not accept an unresolved conflict.
	if err := ContinueRebase(t.Context(), u.dir); err == nil || !strings.Contains(err.Error(), "conflict marks are left") || !strings.Contains(err.Error(), "worker.go:") {
		t.Errorf("with marks left: %v", err)
	}
	before, after, _ := strings.Cut(read(t, filepath.Join(u.dir, "pkg/kubelet/worker.go")), "<<<<<<< ")
	_, after, _ = strings.Cut(after, ">>>>>>> ")
	_, after, _ = strings.Cut(after, "\n")
	u.write("pkg/kubelet/worker.go", before+"// worker seven of upstream\n"+after)
	if err := ContinueRebase(t.Context(), u.dir); err != nil {
		t.Fatal(err)
	}
	if got := subjectsOf(u); !slices.Equal(got, bothSubjects) {
		t.Errorf("got the commits %q", got)
	}
	if got := u.git("show", "HEAD:pkg/kubelet/worker.go"); !strings.Contains(got, "worker seven of upstream") || strings.Contains(got, "<<<<") {
		t.Errorf("the commit has\n%s", got)
	}
	if err := checkClean(t.Context(), u.dir); err != nil {
		t.Error(err)
	}
}

func TestRebaseNamesAFileThatIsGone(t *testing.T) {
	u, s := moved(t, func(u *upstream) { u.git("rm", "--quiet", "-r", "pkg") })
	var c *Conflict
	if err := s.Rebase(t.Context(), u.dir); !errors.As(err, &c) || c.Index != 1 || len(c.Places) != 1 || c.Places[0].Path != "pkg/kubelet/kubelet.go" || !strings.Contains(c.Error(), "as a whole") {
		t.Fatalf("got %v", err)
	}
}

func TestRebaseWithoutTheOldObjects(t *testing.T) {
	u := newUpstream(t)
	s := u.series()
	other := &upstream{t: t, dir: t.TempDir()}
	other.git("init", "--quiet", "--initial-branch=main")
	other.write("pkg/kubelet/kubelet.go", "package kubelet\n\n"+numberedLines("other", 40))
	other.base = other.commit("v1.99.1")
	var c *Conflict
	if err := s.Rebase(t.Context(), other.dir); !errors.As(err, &c) || c.Index != 1 {
		t.Fatalf("got %v", err)
	}
	if len(c.Places) == 0 && !strings.Contains(c.Error(), "git: ") {
		t.Errorf("gives no reason: %v", c)
	}
}

func TestRebaseLeavesOutWhatUpstreamHas(t *testing.T) {
	u, s := moved(t, func(u *upstream) { u.edit("pkg/kubelet/kubelet.go", "// line 20\n", "// line twenty\n") })
	if err := s.Rebase(t.Context(), u.dir); err != nil {
		t.Fatal(err)
	}
	if got := subjectsOf(u); !slices.Equal(got, bothSubjects[1:]) {
		t.Errorf("got the commits %q", got)
	}
	if missing, err := s.Missing(t.Context(), u.dir, u.base); err != nil || !slices.Equal(missing, bothSubjects[:1]) {
		t.Errorf("missing %q, %v", missing, err)
	}
}

func TestCompareSubjects(t *testing.T) {
	u := newUpstream(t)
	lead := u.series()
	if got := lead.CompareSubjects(lead, "v1.99", nil); len(got) > 0 {
		t.Errorf("a series differs from itself: %v", got)
	}
	turned := &Series{Patches: []*Patch{lead.Patches[1], lead.Patches[0]}}
	short := &Series{Patches: lead.Patches[1:]}
	other := &Series{Patches: []*Patch{lead.Patches[0], {Name: "0002-x.patch", Subject: "kubelet: something else"}}}
	for name, tc := range map[string]struct {
		series *Series
		want   []string
	}{
		"another order":   {turned, []string{"at place 1 of its series and at place 2 of v1.99", "at place 2 of its series and at place 1"}},
		"one missing":     {short, []string{`has no patch "kubelet: count from the start of termination"`}},
		"another subject": {other, []string{"no patch of v1.99 has this subject", `has no patch "kuberuntime: return`}},
	} {
		got := tc.series.CompareSubjects(lead, "v1.99", nil)
		if len(got) != len(tc.want) {
			t.Errorf("%s: got %v", name, got)
			continue
		}
		for i, want := range tc.want {
			if !strings.Contains(got[i].String(), want) {
				t.Errorf("%s: got %q, want %q", name, got[i], want)
			}
		}
	}
}

func TestCompareSubjectsLeavesOff(t *testing.T) {
	patch := func(subject string, files ...string) *Patch {
		p := &Patch{Name: subject + ".patch", Subject: subject}
		for _, f := range files {
			p.Files = append(p.Files, File{Path: f})
		}
		return p
	}
	code, mixed, tests, more := patch("code", "pkg/a.go"), patch("mixed", "test/a_test.go", "pkg/a.go"), patch("tests", "test/a_test.go"), patch("more", "test/b_test.go")
	lead := &Series{Patches: []*Patch{code, mixed, tests, more}}
	own, back := patch("own", "pkg/a.go"), patch("back", "pkg/a.go")
	own.Body, back.Body = "Why.\n\nUpstream-Status: Pending\n", "Why.\n\nUpstream-Status: Backport 0123456789012345678901234567890123456789\n"
	why := func(subjects ...string) (left []LeftOff) {
		for _, s := range subjects {
			left = append(left, LeftOff{Subject: s, Reason: "nobody runs it there"})
		}
		return left
	}
	for name, tc := range map[string]struct {
		have []*Patch
		left []LeftOff
		want []string
	}{
		"the last two":           {[]*Patch{code, mixed}, why("more", "tests"), nil},
		"the last":               {[]*Patch{code, mixed, tests}, why("more"), nil},
		"not declared":           {[]*Patch{code, mixed, tests}, nil, []string{`has no patch "more"`}},
		"declared, not left off": {[]*Patch{code, mixed, tests, more}, why("more"), []string{`no patch of v1.99 has`, `leaves off "more", but has it`}},
		"no reason":              {[]*Patch{code, mixed, tests}, []LeftOff{{Subject: "more", Reason: " "}}, []string{"gives no reason"}},
		"one in the middle":      {[]*Patch{code, mixed, more}, why("tests"), []string{"only the last ones can be left off"}},
		"more than tests":        {[]*Patch{code}, why("mixed", "tests", "more"), []string{"touches more than files under test/"}},
		"an unknown one":         {[]*Patch{code, mixed, tests, more}, why("other"), []string{`leaves off "other", which v1.99 does not have`}},
		"a backport":             {[]*Patch{code, mixed, tests, more, back}, nil, nil},
		"and one left off":       {[]*Patch{code, mixed, tests, back}, why("more"), nil},
		"no backport":            {[]*Patch{code, mixed, tests, more, own}, nil, []string{"own.patch: no patch of v1.99 has this subject"}},
		"backport not last":      {[]*Patch{code, mixed, back, tests, more}, nil, []string{"back.patch: no patch of v1.99 has this subject"}},
		"the same one twice":     {[]*Patch{code, mixed, tests}, why("more", "more"), []string{`leaves off "more" twice`}},
	} {
		got := (&Series{Patches: tc.have}).CompareSubjects(lead, "v1.99", tc.left)
		if len(got) != len(tc.want) {
			t.Errorf("%s: got %v, want %q", name, got, tc.want)
			continue
		}
		for _, want := range tc.want {
			if !slices.ContainsFunc(got, func(p Problem) bool { return strings.Contains(p.String(), want) }) {
				t.Errorf("%s: got %v, want %q", name, got, want)
			}
		}
	}
}
