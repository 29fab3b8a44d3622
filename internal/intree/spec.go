// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package intree

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kgrace/kgrace/internal/patchset"
)

// Spec is one Ginkgo spec that a series adds to a suite that needs a node.
type Spec struct {
	// Package is the directory in the tree: "test/e2e_node".
	Package string `json:"package" yaml:"package"`
	// Text is Ginkgo's name of the spec, including containers, without labels: "Pod Termination when a pod is deleted should
	// ...".
	Text string `json:"spec" yaml:"spec"`
	// Reason is a regular expression that matches the spec's failure message against a stock kubelet. Empty for a kept spec.
	Reason string `json:"reason,omitempty" yaml:"reason,omitempty"`
	// Kept explains why the spec passes against a stock kubelet too. Empty for one that fails there.
	Kept string `json:"kept,omitempty" yaml:"kept,omitempty"`

	reason *regexp.Regexp
}

// Name returns the spec's text with its package.
func (s Spec) Name() string { return s.Package + " " + s.Text }

// FailsWith reports whether a failure message matches the spec's reason to fail on stock.
func (s Spec) FailsWith(message string) bool { return s.reason != nil && s.reason.MatchString(message) }

func (s *Spec) check() error {
	if err := checkDirectory(s.Package); err != nil {
		return err
	}
	if s.Text == "" || s.Text != PlainSpec(s.Text) {
		return fmt.Errorf("spec must be the full text of a spec without its labels in brackets: %q", PlainSpec(s.Text))
	}
	var err error
	s.reason, err = checkReason(s.Reason, s.Kept, "FAIL", "Interrupted by Timeout", "A suite timeout occurred", "Unexpected error:", "Timed out after 20.000s.", "context deadline exceeded")
	return err
}

var specLabel = regexp.MustCompile(`\[[^\[\]]*\]`)

// PlainSpec returns the text of a spec without the labels in brackets that Kubernetes adds.
func PlainSpec(text string) string {
	return strings.Join(strings.Fields(specLabel.ReplaceAllString(text, " ")), " ")
}

// Specs returns the specs in the test files of the packages that a series adds to the fixed tree. It supports only
// containers and specs with literal text; others are an error.
func Specs(fixed string, series *patchset.Series, packages []string) ([]Spec, error) {
	var all []Spec
	for _, f := range series.Files() {
		if !f.New || f.Deleted || !strings.HasSuffix(f.Path, "_test.go") || !slices.Contains(packages, path.Dir(f.Path)) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(fixed, filepath.FromSlash(f.Path)), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		r := specReader{pkg: path.Dir(f.Path)}
		ast.Walk(specVisitor{reader: &r}, file)
		if r.err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, r.err)
		}
		all = append(all, r.specs...)
	}
	return all, nil
}

// Functions of Ginkgo and the e2e framework that create containers and specs, by the name in calls.
var (
	containers = []string{"Describe", "SIGDescribe", "Context", "When"}
	leaves     = []string{"It", "ConformanceIt"}
	tables     = []string{"DescribeTable", "Entry"}
)

type specReader struct {
	pkg   string
	specs []Spec
	err   error
}

// specVisitor visits the content of containers.
type specVisitor struct {
	reader *specReader
	within []string
}

func (v specVisitor) Visit(node ast.Node) ast.Visitor {
	call, ok := node.(*ast.CallExpr)
	if !ok || v.reader.err != nil {
		return v
	}
	name := calledName(call)
	switch {
	case slices.Contains(tables, name):
		v.reader.err = fmt.Errorf("%s: tables of specs are not supported; write the specs out", name)
	case slices.Contains(containers, name) || slices.Contains(leaves, name):
		text, ok := firstText(call)
		if !ok {
			v.reader.err = fmt.Errorf("a %s inside %q has no literal text", name, strings.Join(v.within, " "))
			return nil
		}
		if name == "When" {
			text = "when " + text
		}
		within := append(slices.Clone(v.within), PlainSpec(text))
		if slices.Contains(leaves, name) {
			v.reader.specs = append(v.reader.specs, Spec{Package: v.reader.pkg, Text: strings.Join(within, " ")})
			return nil
		}
		return specVisitor{v.reader, within}
	}
	return v
}

func calledName(call *ast.CallExpr) string {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

// firstText returns the first string argument; labels may precede it.
func firstText(call *ast.CallExpr) (string, bool) {
	for _, arg := range call.Args {
		if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, err := strconv.Unquote(lit.Value)
			return text, err == nil
		}
	}
	return "", false
}

// CompareSpecs compares the declaration with the specs that the series adds.
func CompareSpecs(declared, brought []Spec) []string {
	var faults []string
	for _, s := range brought {
		if !slices.ContainsFunc(declared, func(d Spec) bool { return d.Name() == s.Name() }) {
			faults = append(faults, fmt.Sprintf("the series adds the spec %q of %s, which %s does not declare: add under specs how it fails on stock, or why it is kept", s.Text, s.Package, DeclaredFile))
		}
	}
	for _, d := range declared {
		if !slices.ContainsFunc(brought, func(s Spec) bool { return d.Name() == s.Name() }) {
			faults = append(faults, fmt.Sprintf("%s declares the spec %q of %s, which the series does not add", DeclaredFile, d.Text, d.Package))
		}
	}
	return faults
}
