// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A full disk leaves the old file and nothing half-written beside it.
func TestWriteFileOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := WriteFile(file, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", file+".new"); err != nil {
		t.Fatal(err)
	}
	err := WriteFile(file, []byte("new"), 0o644)
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("got %v", err)
	}
	left, _ := os.ReadDir(dir)
	if data, err := os.ReadFile(file); err != nil || string(data) != "old" || len(left) != 1 {
		t.Errorf("the file is %q, %v; left %v", data, err, left)
	}
}

func TestErrorsOfGit(t *testing.T) {
	dir := t.TempDir()
	_, err := Git(t.Context(), dir, nil, "rev-parse", "--verify", "-c")
	if err == nil || !strings.HasPrefix(err.Error(), "git rev-parse --verify -c (in "+dir+"): exit status 128: fatal:") {
		t.Errorf("got %v", err)
	}
	for _, gone := range []string{filepath.Join(os.TempDir(), "kgrace-download-1"), "/x/_output/trees/.tmp-12/tree"} {
		if said := (&Error{Args: []string{"go", "list"}, Dir: gone, Stderr: "x", Err: os.ErrInvalid}).Error(); said != "go list: invalid argument: x" {
			t.Errorf("%s: %s", gone, said)
		}
	}
}
