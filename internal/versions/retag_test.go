// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const twoMinors = `# Kept.
default: v1.37
minors:
  v1.37:
    kubernetes: v1.37.2     # tag
    staging: v0.37.2
    go: go1.26.10
    revision: 3             # ours
  v1.36:
    kubernetes: v1.36.4
    staging: v0.36.4
    go: go1.26.10
    revision: 2
    stubs:
      k8s.io/x: none
programs: {}
`

func TestRetag(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, FileName)
	if err := os.WriteFile(path, []byte(twoMinors), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Retag(root, "v1.37", "v1.37.3"); err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("v1.37.2 ", "v1.37.3 ", "v0.37.2", "v0.37.3", "revision: 3", "revision: 1").Replace(twoMinors)
	if got, _ := os.ReadFile(path); string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := Retag(root, "v1.36", "v1.36.5"); err != nil {
		t.Fatal(err)
	}
	want = strings.NewReplacer("v1.36.4", "v1.36.5", "v0.36.4", "v0.36.5", "revision: 2", "revision: 1").Replace(want)
	if got, _ := os.ReadFile(path); string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for tag, said := range map[string]string{
		"1.36.6": "is not a tag", "v1.36": "is not a tag", "v1.37.9": "belongs to minor v1.37", "v1.36.5": "already",
	} {
		if err := Retag(root, "v1.36", tag); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%s: got %v, want %q", tag, err, said)
		}
	}
	if err := Retag(root, "v1.99", "v1.99.1"); err == nil || !strings.Contains(err.Error(), "v1.36, v1.37") {
		t.Errorf("an unknown minor: %v", err)
	}
}

func TestParseStub(t *testing.T) {
	for source, want := range map[string]Stub{
		"none":                      {},
		"example.test/m@v1.0.0":     {Module: "example.test/m", Version: "v1.0.0"},
		"example.test/m@v1.0.0/a/b": {Module: "example.test/m", Version: "v1.0.0", Dir: "a/b"},
		"./internal/stub/something": {Dir: "internal/stub/something"},
	} {
		if got, err := ParseStub(source); err != nil || got != want {
			t.Errorf("%s: got %+v, %v", source, got, err)
		}
	}
	for _, source := range []string{"", "example.test/m", "example.test/m@latest", "./", "./../elsewhere", "/root"} {
		if got, err := ParseStub(source); err == nil || !strings.Contains(err.Error(), "is not a stub") {
			t.Errorf("%q: got %+v, %v", source, got, err)
		}
	}
}

func TestAbsent(t *testing.T) {
	m := Minor{Stubs: map[string]string{"example.test/b": "none", "example.test/v": "example.test/v@v1.0.0",
		"example.test/f": "example.test/all@v1.0.0/f", "example.test/a": "./internal/stub/a"}}
	got, err := m.Absent()
	if want := []string{"example.test/a", "example.test/b", "example.test/f"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}
