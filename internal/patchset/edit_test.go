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

// applied returns a tree with the series applied.
func applied(t *testing.T) (*upstream, *Series) {
	t.Helper()
	u := newUpstream(t)
	s := u.series()
	if err := s.Apply(t.Context(), u.dir); err != nil {
		t.Fatal(err)
	}
	return u, s
}

func TestEditAPatchInTheMiddle(t *testing.T) {
	u, s := applied(t)
	subject, err := Edit(t.Context(), u.dir, u.base, 1)
	if err != nil || subject != bothSubjects[0] {
		t.Fatalf("got %q, %v", subject, err)
	}
	if !Editing(u.dir) || !slices.Equal(subjectsOf(u), bothSubjects[:1]) {
		t.Errorf("the tree has %q", subjectsOf(u))
	}
	if _, err := Edit(t.Context(), u.dir, u.base, 1); err == nil || !strings.Contains(err.Error(), "under way") {
		t.Errorf("a second edit: %v", err)
	}
	u.edit("pkg/kubelet/kubelet.go", "// line twenty\n", "// line 4 * 5\n")
	u.write("pkg/kubelet/new.go", boilerplate+"package kubelet\n")
	if err := ContinueEdit(t.Context(), u.dir); err != nil {
		t.Fatal(err)
	}
	if Editing(u.dir) || !slices.Equal(subjectsOf(u), bothSubjects) {
		t.Errorf("the tree has %q", subjectsOf(u))
	}
	if got := u.git("show", "--format=", "--name-only", "HEAD~1"); got != "pkg/kubelet/kubelet.go\npkg/kubelet/new.go" {
		t.Errorf("the patch touches %q", got)
	}
	changes, err := Extract(t.Context(), u.dir, u.base, s.Dir)
	if err != nil || !slices.Equal(changes.Written, []string{s.Patches[0].Name}) {
		t.Errorf("wrote %q, %v; want only the one that was edited", changes.Written, err)
	}
}

func TestEditThatChangesNothing(t *testing.T) {
	u, s := applied(t)
	if _, err := Edit(t.Context(), u.dir, u.base, 2); err != nil {
		t.Fatal(err)
	}
	if err := ContinueEdit(t.Context(), u.dir); err != nil {
		t.Fatal(err)
	}
	if changes, err := Extract(t.Context(), u.dir, u.base, s.Dir); err != nil || len(changes.Written) > 0 {
		t.Errorf("wrote %q, %v", changes.Written, err)
	}
}

func TestEditThatALaterPatchDoesNotFit(t *testing.T) {
	u, _ := applied(t)
	if _, err := Edit(t.Context(), u.dir, u.base, 1); err != nil {
		t.Fatal(err)
	}
	u.edit("pkg/kubelet/worker.go", "// worker 7\n", "// worker 3 + 4\n")
	err := ContinueEdit(t.Context(), u.dir)
	var c *Conflict
	if !errors.As(err, &c) || c.Index != 2 || c.Total != 2 || c.Subject != bothSubjects[1] || len(c.Places) != 1 {
		t.Fatalf("got %v", err)
	}
	if p := c.Places[0]; p.Path != "pkg/kubelet/worker.go" || p.Line == 0 || !strings.HasPrefix(p.Hunk, "@@ -") {
		t.Errorf("got %+v", p)
	}
	text := read(t, filepath.Join(u.dir, "pkg/kubelet/worker.go"))
	before, after, _ := strings.Cut(text, "<<<<<<< ")
	_, after, _ = strings.Cut(after, ">>>>>>> ")
	_, after, _ = strings.Cut(after, "\n")
	u.write("pkg/kubelet/worker.go", before+"// worker seven\n"+after)
	if err := ContinueEdit(t.Context(), u.dir); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(subjectsOf(u), bothSubjects) {
		t.Errorf("the tree has %q", subjectsOf(u))
	}
}

func TestEditGivenUp(t *testing.T) {
	u, _ := applied(t)
	was := u.git("rev-parse", "HEAD")
	if _, err := Edit(t.Context(), u.dir, u.base, 1); err != nil {
		t.Fatal(err)
	}
	u.edit("pkg/kubelet/kubelet.go", "// line 1\n", "")
	if err := AbortEdit(t.Context(), u.dir); err != nil {
		t.Fatal(err)
	}
	u.expectAt(was)
}

func TestEditRefuses(t *testing.T) {
	u, _ := applied(t)
	if _, err := Edit(t.Context(), u.dir, u.base, 3); err == nil || !strings.Contains(err.Error(), "no patch 3") || !strings.Contains(err.Error(), "2  "+bothSubjects[1]) {
		t.Errorf("a number too high: %v", err)
	}
	if err := ContinueEdit(t.Context(), u.dir); err == nil || !strings.Contains(err.Error(), "no patch is being edited") {
		t.Errorf("nothing to continue: %v", err)
	}
}
