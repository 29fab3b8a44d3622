// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"errors"
	"strings"
	"testing"
)

// ported returns two trees with the series applied: one whose first patch was edited, and one of another minor, which is
// stopped at its first patch and has other context lines.
func ported(t *testing.T, old, new string) (PatchChange, *upstream, *Series) {
	t.Helper()
	from, series := applied(t)
	to := newUpstream(t)
	to.edit("pkg/kubelet/kubelet.go", "// line 30\n", "// line 30 of another minor\n")
	to.base = to.commit("v1.98.0")
	theirs := to.series()
	if err := theirs.Apply(t.Context(), to.dir); err != nil {
		t.Fatal(err)
	}
	if _, err := Edit(t.Context(), from.dir, from.base, 1); err != nil {
		t.Fatal(err)
	}
	from.edit("pkg/kubelet/kubelet.go", old, new)
	if err := ContinueEdit(t.Context(), from.dir); err != nil {
		t.Fatal(err)
	}
	if _, err := Edit(t.Context(), to.dir, to.base, 1); err != nil {
		t.Fatal(err)
	}
	return PatchChange{Tree: from.dir, Base: from.base, Number: 1, Old: series.Patches[0].Data}, to, theirs
}

func TestPort(t *testing.T) {
	change, to, series := ported(t, "// line twenty\n", "// line 4 * 5\n")
	if err := change.Port(t.Context(), to.dir); err != nil {
		t.Fatal(err)
	}
	if err := ContinueEdit(t.Context(), to.dir); err != nil {
		t.Fatal(err)
	}
	changes, err := Extract(t.Context(), to.dir, to.base, series.Dir)
	if err != nil || len(changes.Written) != 1 || changes.Written[0] != series.Patches[0].Name {
		t.Errorf("wrote %v, %v", changes.Written, err)
	}
	if got := to.git("show", "HEAD~1"); !strings.Contains(got, "+// line 4 * 5") {
		t.Errorf("got\n%s", got)
	}
}

func TestPortThatDoesNotFit(t *testing.T) {
	change, to, _ := ported(t, "// line 30\n", "// line 5 * 6\n")
	err := change.Port(t.Context(), to.dir)
	var c *Conflict
	if !errors.As(err, &c) || len(c.Places) != 1 || c.Places[0].Path != "pkg/kubelet/kubelet.go" || c.Places[0].Line == 0 {
		t.Fatalf("got %v", err)
	}
	if err := ContinueEdit(t.Context(), to.dir); err == nil {
		t.Error("a file with conflict marks was accepted")
	}
	before, rest, _ := strings.Cut(read(t, to.dir+"/pkg/kubelet/kubelet.go"), "<<<<<<< ")
	_, after, _ := strings.Cut(rest, ">>>>>>> ")
	_, after, _ = strings.Cut(after, "\n")
	to.write("pkg/kubelet/kubelet.go", before+"// line 5 * 6 of another minor\n"+after)
	if err := ContinueEdit(t.Context(), to.dir); err != nil {
		t.Error(err)
	}
	if got := to.git("show", "HEAD~1"); !strings.Contains(got, "+// line 5 * 6 of another minor") {
		t.Errorf("got\n%s", got)
	}
}

func TestPortOfNothing(t *testing.T) {
	change, to, _ := ported(t, "// line twenty\n", "// line twenty\n")
	if err := change.Port(t.Context(), to.dir); !errors.Is(err, ErrNoChange) {
		t.Errorf("got %v", err)
	}
}
