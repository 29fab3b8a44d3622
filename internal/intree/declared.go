// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package intree

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/tool"
)

// DeclaredFile is the name of the declaration in the directory of a series.
const DeclaredFile = "intree.yaml"

// Declared is one test that a series adds or changes.
type Declared struct {
	// Package is the directory in the tree: "pkg/kubelet".
	Package string `json:"package" yaml:"package"`
	// Test is the name of a test function, or of one of its subtests: "TestKill/zero".
	Test string `json:"test" yaml:"test"`
	// Reason is a regular expression that matches the test's failure message on stock, or the compiler's error there. Empty
	// for a kept test.
	Reason string `json:"reason,omitempty" yaml:"reason,omitempty"`
	// Kept explains why the test passes on stock too. Empty for a test that fails there.
	Kept string `json:"kept,omitempty" yaml:"kept,omitempty"`

	reason *regexp.Regexp
}

// parse parses the code as a file of the package.
func (f StockForm) parse() (*source, error) {
	if f.Package == "" || f.Code == "" {
		return nil, errors.New("want package and code: the directory of a package in the tree, and Go declarations")
	}
	return parseSource("onstock_test.go", "package "+path.Base(f.Package)+"\n\n"+f.Code)
}

// Name returns the test's name with its package.
func (d Declared) Name() string { return d.Package + "." + d.Test }

// function returns the name of the test function, without the subtest.
func (d Declared) function() string {
	name, _, _ := strings.Cut(d.Test, "/")
	return name
}

var testName = regexp.MustCompile(`^(?:Test|Fuzz|Example)\w*(?:/\S+)?$`)

// Declaration is the content of the file.
type Declaration struct {
	// Tests are run by `kgrace intree`, with go test.
	Tests []Declared `json:"tests" yaml:"tests"`
	// OnStock contains stock variants of helpers that call what stock does not have.
	OnStock []StockForm `json:"onStock,omitempty" yaml:"onStock,omitempty"`
	// Specs need a node; `kgrace e2e-node` runs them.
	Specs []Spec `json:"specs,omitempty" yaml:"specs,omitempty"`
	// LeavesOff lists the patches of the default minor that this series omits.
	LeavesOff []patchset.LeftOff `json:"leavesOff,omitempty" yaml:"leavesOff,omitempty"`
}

// StockForm is a stock variant of helpers of the tests in one package. With it, a test that calls a changed function
// through a helper compiles on stock, and fails there because of stock's behaviour.
type StockForm struct {
	// Package is the directory in the tree: "pkg/kubelet".
	Package string `json:"package" yaml:"package"`
	// Code contains the helpers as Go declarations, with the names and receivers that they have in the tests.
	Code string `json:"code" yaml:"code"`
}

// LoadDeclaration reads the file in the directory of a series and returns an error if it is incomplete.
func LoadDeclaration(dir string) (Declaration, error) {
	name := filepath.Join(dir, DeclaredFile)
	data, err := os.ReadFile(name)
	if err != nil {
		return Declaration{}, fmt.Errorf("%w: the file must list every test that the series adds or changes, and how it fails on stock", err)
	}
	var file Declaration
	if _, err := tool.ReadYAML(name, data, &file); err != nil {
		return Declaration{}, err
	}
	var errs []error
	seen := map[string]bool{}
	for i := range file.Tests {
		d := &file.Tests[i]
		if err := d.check(); err != nil {
			errs = append(errs, fmt.Errorf("%s: test %d, %q: %w", name, i+1, d.Name(), err))
		}
		if seen[d.Name()] {
			errs = append(errs, fmt.Errorf("%s: %s is declared twice", name, d.Name()))
		}
		seen[d.Name()] = true
	}
	for _, form := range file.OnStock {
		if _, err := form.parse(); err != nil {
			errs = append(errs, fmt.Errorf("%s: onStock of %q: %w", name, form.Package, err))
		}
	}
	for i := range file.Specs {
		s := &file.Specs[i]
		if err := s.check(); err != nil {
			errs = append(errs, fmt.Errorf("%s: spec %d, %q: %w", name, i+1, s.Text, err))
		}
		if seen[s.Name()] {
			errs = append(errs, fmt.Errorf("%s: the spec %s is declared twice", name, s.Name()))
		}
		seen[s.Name()] = true
	}
	if len(file.Tests) == 0 {
		errs = append(errs, fmt.Errorf("%s declares no test; a series without tests proves nothing", name))
	}
	return file, errors.Join(errs...)
}

func (d *Declared) check() error {
	if err := checkDirectory(d.Package); err != nil {
		return err
	}
	if !testName.MatchString(d.Test) {
		return fmt.Errorf("test must be the name of a test function, or of a subtest as go test prints it: TestX/with_underscores")
	}
	var err error
	d.reason, err = checkReason(d.Reason, d.Kept, "FAIL", "--- FAIL: "+d.Test, "panic: test timed out after 2m0s")
	return err
}

func checkDirectory(pkg string) error {
	if pkg == "" || pkg != filepath.ToSlash(filepath.Clean(pkg)) || strings.HasPrefix(pkg, "/") {
		return fmt.Errorf("package must be a directory of the tree, like pkg/kubelet")
	}
	return nil
}

// checkReason compiles the reason, which must not match the text of arbitrary failures.
func checkReason(reason, kept string, anything ...string) (*regexp.Regexp, error) {
	if (reason == "") == (kept == "") {
		return nil, fmt.Errorf("give one of reason (a regular expression for how it fails on stock) and kept (why it passes there too)")
	}
	if reason == "" {
		return nil, nil
	}
	compiled, err := regexp.Compile(reason)
	if err != nil {
		return nil, fmt.Errorf("reason: %w", err)
	}
	for _, nothing := range append([]string{""}, anything...) {
		if compiled.MatchString(nothing) {
			return nil, fmt.Errorf("reason matches %q, which occurs in any failure; use the assertion's own words", nothing)
		}
	}
	return compiled, nil
}

// Compare compares the declaration with the tests that differ between the trees.
func Compare(declared []Declared, changed []Test) []string {
	var faults []string
	for _, t := range changed {
		if !slices.ContainsFunc(declared, func(d Declared) bool { return d.Package == t.Package && d.function() == t.Name }) {
			what := "changes"
			if t.New {
				what = "adds"
			}
			faults = append(faults, fmt.Sprintf("the series %s %s.%s, which %s does not declare: add how it fails on stock, or why it is kept", what, t.Package, t.Name, DeclaredFile))
		}
	}
	for _, d := range declared {
		if !slices.ContainsFunc(changed, func(t Test) bool { return d.Package == t.Package && d.function() == t.Name }) {
			faults = append(faults, fmt.Sprintf("%s declares %s, which the series neither adds nor changes", DeclaredFile, d.Name()))
		}
	}
	return faults
}
