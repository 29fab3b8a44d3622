/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package intree

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// DeclaredFile lies beside a series.
const DeclaredFile = "intree.yaml"

// Declared is one test that a series brings or changes.
type Declared struct {
	// Package is the folder in the tree: "pkg/kubelet".
	Package string `json:"package"`
	// Test is the name of a test function, or of one of its subtests: "TestKill/zero".
	Test string `json:"test"`
	// Reason is a regular expression that matches what the test says when it fails on stock, or what the compiler says of
	// it there. Empty for a kept test.
	Reason string `json:"reason,omitempty"`
	// Kept says why the test passes on stock too. Empty for a test that fails there.
	Kept string `json:"kept,omitempty"`

	reason *regexp.Regexp
}

// Name is the test with its package.
func (d Declared) Name() string { return d.Package + "." + d.Test }

// function is the test function's name, without the subtest.
func (d Declared) function() string {
	name, _, _ := strings.Cut(d.Test, "/")
	return name
}

var testName = regexp.MustCompile(`^(?:Test|Fuzz|Example)\w*(?:/\S+)?$`)

// LoadDeclared reads the file in the folder of a series and refuses one that does not say enough.
func LoadDeclared(dir string) ([]Declared, error) {
	path := filepath.Join(dir, DeclaredFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: it names every test that the series brings or changes, and how it fails on stock", err)
	}
	var file struct {
		Tests []Declared `json:"tests"`
	}
	if err := yaml.UnmarshalStrict(data, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var errs []error
	seen := map[string]bool{}
	for i := range file.Tests {
		d := &file.Tests[i]
		if err := d.check(); err != nil {
			errs = append(errs, fmt.Errorf("%s: test %d, %q: %w", path, i+1, d.Name(), err))
		}
		if seen[d.Name()] {
			errs = append(errs, fmt.Errorf("%s: %s is declared twice", path, d.Name()))
		}
		seen[d.Name()] = true
	}
	if len(file.Tests) == 0 {
		errs = append(errs, fmt.Errorf("%s declares no test; a series without tests proves nothing", path))
	}
	return file.Tests, errors.Join(errs...)
}

func (d *Declared) check() error {
	if d.Package == "" || d.Package != filepath.ToSlash(filepath.Clean(d.Package)) || strings.HasPrefix(d.Package, "/") {
		return fmt.Errorf("package is a folder of the tree, like pkg/kubelet")
	}
	if !testName.MatchString(d.Test) {
		return fmt.Errorf("test is the name of a test function, or of a subtest as go test prints it: TestX/with_underscores")
	}
	if (d.Reason == "") == (d.Kept == "") {
		return fmt.Errorf("give one of reason (a regular expression for how it fails on stock) and kept (why it passes there too)")
	}
	if d.Reason == "" {
		return nil
	}
	var err error
	if d.reason, err = regexp.Compile(d.Reason); err != nil {
		return fmt.Errorf("reason: %w", err)
	}
	for _, nothing := range []string{"", "FAIL", "--- FAIL: " + d.Test, "panic: test timed out after 2m0s"} {
		if d.reason.MatchString(nothing) {
			return fmt.Errorf("reason matches %q, which any failure says; name the assertion's own words", nothing)
		}
	}
	return nil
}

// Compare holds the declaration against the tests that the trees really differ in.
func Compare(declared []Declared, changed []Test) []string {
	var faults []string
	for _, t := range changed {
		if !slices.ContainsFunc(declared, func(d Declared) bool { return d.Package == t.Package && d.function() == t.Name }) {
			what := "changes"
			if t.New {
				what = "brings"
			}
			faults = append(faults, fmt.Sprintf("the series %s %s.%s, which %s does not declare: say how it fails on stock, or why it is kept", what, t.Package, t.Name, DeclaredFile))
		}
	}
	for _, d := range declared {
		if !slices.ContainsFunc(changed, func(t Test) bool { return d.Package == t.Package && d.function() == t.Name }) {
			faults = append(faults, fmt.Sprintf("%s declares %s, which the series neither brings nor changes", DeclaredFile, d.Name()))
		}
	}
	return faults
}
