// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/patchset"
)

func TestGofmtFaults(t *testing.T) {
	tree, stock := t.TempDir(), t.TempDir()
	// Upstream formatted it with another gofmt.
	if err := os.WriteFile(filepath.Join(stock, "old.go"), []byte("package a\nvar y  = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"old.go": "package a\nvar y  = 2\n", "good.go": "package a\n\nvar x = 1\n", "bad.go": "package a\nvar x  = 1\n", "broken.go": "package\n", "other.txt": "var x  = 1\n"} {
		if err := os.WriteFile(filepath.Join(tree, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	faults, err := gofmtFaults(stock, tree, []patchset.File{{Path: "old.go"}, {Path: "good.go"}, {Path: "bad.go"}, {Path: "broken.go"}, {Path: "other.txt"}, {Path: "gone.go", Deleted: true}})
	if err != nil || len(faults) != 2 || !strings.HasPrefix(faults[0], "bad.go ") || !strings.HasPrefix(faults[1], "broken.go:") {
		t.Errorf("got %q, %v", faults, err)
	}
}
