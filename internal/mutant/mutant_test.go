// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package mutant

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestListIsWhole(t *testing.T) {
	name := regexp.MustCompile("^[a-z]+(-[a-z]+)*$")
	seen := map[string]bool{}
	for _, m := range All() {
		if !name.MatchString(m.Name) || seen[m.Name] || m.What == "" || m.File == "" || m.Old == "" || m.Old == m.New {
			t.Errorf("incomplete, or a duplicate: %+v", m)
		}
		seen[m.Name] = true
	}
	if n := len(OnNodes(All())); n < 5 {
		t.Errorf("only %d mutants run on real nodes", n)
	}
	if len(seen) < 12 {
		t.Errorf("only %d mutants", len(seen))
	}
}

func TestApplyWantsItsTextOnce(t *testing.T) {
	m := Mutant{Name: "m", File: "f.go", Old: "a", New: "b"}
	if got, err := m.Apply("xay"); err != nil || got != "xby" {
		t.Errorf("%q, %v", got, err)
	}
	for _, content := range []string{"xyz", "aa"} {
		if _, err := m.Apply(content); err == nil || !strings.Contains(err.Error(), "expected once") {
			t.Errorf("%q: %v", content, err)
		}
	}
}

func TestOverlay(t *testing.T) {
	tree, dir := t.TempDir(), t.TempDir()
	base := filepath.Join(dir, "base.json")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(tree, "f.go"), "package f // old\n")
	write(base, `{"Replace":{"/seam.go":"/seam.go.seam"}}`)
	m := Mutant{Name: "m", File: "f.go", Old: "old", New: "new"}
	path, err := m.Overlay(filepath.Join(dir, "m"), tree, base)
	if err != nil {
		t.Fatal(err)
	}
	var overlay struct{ Replace map[string]string }
	data, _ := os.ReadFile(path)
	if err := json.Unmarshal(data, &overlay); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(overlay.Replace[filepath.Join(tree, "f.go")])
	if string(got) != "package f // new\n" || overlay.Replace["/seam.go"] == "" {
		t.Errorf("%q, %v", got, overlay)
	}
	if kept, _ := os.ReadFile(filepath.Join(tree, "f.go")); string(kept) != "package f // old\n" {
		t.Error("the tree was changed")
	}
	if _, err := m.Overlay(filepath.Join(dir, "again"), tree, path); err == nil {
		t.Error("a file that was already replaced was replaced again")
	}
}

func TestPick(t *testing.T) {
	if all, err := Pick(); err != nil || len(all) != len(All()) {
		t.Errorf("%d, %v", len(all), err)
	}
	if one, err := Pick("round-down"); err != nil || len(one) != 1 {
		t.Errorf("%v, %v", one, err)
	}
	if _, err := Pick("nonsense"); err == nil || !strings.Contains(err.Error(), "round-down") {
		t.Errorf("%v", err)
	}
}

func TestMisfits(t *testing.T) {
	tree := t.TempDir()
	if err := os.WriteFile(filepath.Join(tree, "a.go"), []byte("one two two"), 0o644); err != nil {
		t.Fatal(err)
	}
	not, err := Misfits(tree, []Mutant{{Name: "fits", File: "a.go", Old: "one"}, {Name: "twice", File: "a.go", Old: "two"},
		{Name: "gone", File: "a.go", Old: "three"}, {Name: "nowhere", File: "b.go", Old: "one"}})
	if names := strings.Join(Names(not), " "); names != "twice gone nowhere" {
		t.Fatalf("got %s", names)
	}
	got := err.(interface{ Unwrap() []error }).Unwrap() // one fault of `kgrace verify` each
	for i, want := range []string{"mutant twice: its text occurs in a.go 2 times", "mutant gone: its text occurs in a.go 0 times", "b.go"} {
		if len(got) != 3 || !strings.Contains(got[i].Error(), want) {
			t.Fatalf("got %q, want %q at %d", got, want, i)
		}
	}
}
