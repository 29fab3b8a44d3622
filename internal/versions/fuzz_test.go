// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/mod/semver"
	"sigs.k8s.io/yaml"
)

// FuzzParse reads any bytes as versions.yaml: they are refused, or every pin can be used, nothing leads out of a directory, and the
// same pins are read from what is written of them.
func FuzzParse(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("..", "..", FileName))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("default: v1.37\nminors:\n  v1.37: {kubernetes: v1.37.2, staging: v0.37.2, go: go1.26.10, revision: 1}\n"))
	f.Add([]byte("default: v1.37\nminors: {v1.37: {kubernetes: v1.37.2, staging: v0.37.2, go: go1.26.10, revision: 1, stubs: {a.test/b: c.test/d@v1.0.0/e}, debian: {runc: runc}}}\n" +
		"programs: {runc: {module: a.test/runc, version: v1.4.3, tags: [seccomp], cgo: true, packages: {runc: a.test/runc}}}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		pins, err := parseFile("fuzzed.yaml", data)
		if err != nil {
			return
		}
		if _, err := pins.Minor(""); err != nil {
			t.Errorf("accepted without a default minor: %v", err)
		}
		for name, m := range pins.Minors {
			if !semver.IsValid(m.FixedVersion()) || semver.MajorMinor(m.FixedVersion()) != name {
				t.Errorf("%s: the fixed arm's version %q", name, m.FixedVersion())
			}
			for _, source := range m.Stubs {
				stub, err := ParseStub(source)
				if err != nil {
					t.Errorf("accepted stub %q: %v", source, err)
				}
				if stub.Dir != "" && !filepath.IsLocal(filepath.FromSlash(stub.Dir)) {
					t.Errorf("stub %q leads out of its module, to %q", source, stub.Dir)
				}
			}
		}
		for name, p := range pins.Programs {
			for binary := range p.Packages {
				if !filepath.IsLocal(binary) || filepath.Base(binary) != binary {
					t.Errorf("binary %q is not a file name", binary)
				}
				if from, _, err := pins.ProgramOf(binary); err != nil || from != name {
					t.Errorf("binary %s of %s comes from %q: %v", binary, name, from, err)
				}
			}
		}
		text, err := yaml.Marshal(pins)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseFile("written.yaml", text)
		if err != nil {
			t.Fatalf("what was written is refused: %v", err)
		}
		if diff := cmp.Diff(pins, again, cmpopts.IgnoreUnexported(File{}), cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}

// FuzzStub parses any text as a stub: what is accepted leads nowhere but into its module or the checkout.
func FuzzStub(f *testing.F) {
	for _, source := range []string{"none", "example.test/module@v1.0.0", "k8s.io/kubernetes@v1.37.2/test/utils/ktesting", "./internal/stub/name",
		"./..", "./a/../../b", "a.test/b@v1.0.0/../c"} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		stub, err := ParseStub(source)
		if err == nil && stub.Dir != "" && !filepath.IsLocal(filepath.FromSlash(stub.Dir)) {
			t.Errorf("stub %q leads out, to %q", source, stub.Dir)
		}
	})
}
