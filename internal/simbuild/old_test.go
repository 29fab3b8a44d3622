// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simbuild

import (
	"errors"
	"go/build"
	"path/filepath"
	"strings"
	"testing"
)

// An old minor's suite may import only modules of its tree, in whatever version; so may our packages that it imports.
func TestOldSuitesImportWhatTheirTreeHas(t *testing.T) {
	const ours, root = "github.com/kgrace/kgrace/", "../.."
	has := []string{"k8s.io/", "google.golang.org/grpc/codes", "google.golang.org/grpc/status", "google.golang.org/protobuf/", "golang.org/x/mod/semver"}
	for minor, old := range oldMinors {
		ctx := build.Default
		ctx.BuildTags = []string{Tag, old.tag}
		seen := map[string]bool{}
		var visit func(path string, tests bool)
		visit = func(path string, tests bool) {
			if seen[path] {
				return
			}
			seen[path] = true
			p, err := ctx.ImportDir(filepath.Join(root, strings.TrimPrefix(path, ours)), 0)
			var none *build.NoGoError
			if err != nil && !errors.As(err, &none) {
				t.Fatal(err)
			}
			imports := p.Imports
			if tests {
				imports = append(imports, p.TestImports...)
			}
			for _, i := range imports {
				if strings.HasPrefix(i, ours) {
					visit(i, false)
					continue
				}
				known := !strings.Contains(strings.Split(i, "/")[0], ".")
				for _, prefix := range has {
					known = known || strings.HasPrefix(i, prefix)
				}
				if !known {
					t.Errorf("%s imports %s, which the suite of %s cannot use; exclude it from builds with the tag %s", path, i, minor, old.tag)
				}
			}
		}
		visit(ours+strings.TrimPrefix(suitePackage, "./"), true)
		if len(seen) < 10 {
			t.Errorf("%s: only %d of our packages were checked: %v", minor, len(seen), seen)
		}
	}
}

func TestHint(t *testing.T) {
	err := errors.New("go: updates to go.mod needed")
	if got := hint("v1.22", err); !strings.Contains(got, "kgrace_v122") {
		t.Errorf("got %q", got)
	}
	if got := hint("v1.37", err) + hint("v1.22", errors.New("x.go:1: undefined: y")); got != "" {
		t.Errorf("got %q", got)
	}
}
