// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package intree

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// decl is one top-level declaration of a test file.
type decl struct {
	// key identifies it within its package: "TestX", "fakeRuntime.Stop", or the names of a group, "a b c".
	key  string
	text string
	// start and end are offsets in the file, doc comment included; first and last are lines, counted from 1.
	start, end, first, last int
	// names are all identifiers in the declaration.
	names map[string]bool
	// test marks a function that go test runs.
	test bool
	// assertions are the statements in it that only assert.
	assertions []statement
}

// statement is one statement; first and last are lines of the file, counted from 1.
type statement struct {
	text        string
	first, last int
}

// imported is one import of a test file.
type imported struct {
	path, name              string
	start, end, first, last int
}

// source is a parsed test file.
type source struct {
	file    string // base name
	pkg     string // "kubelet" or "kubelet_test"
	text    string
	decls   []decl
	imports []imported
}

// testFiles parses the test files in dir that this platform compiles. A missing dir has none.
func testFiles(dir string) (map[string]*source, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	files := map[string]*source{}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		if ok, err := build.Default.MatchFile(dir, e.Name()); err != nil || !ok {
			if err != nil {
				return nil, err
			}
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if files[e.Name()], err = parseSource(e.Name(), string(data)); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
	}
	return files, nil
}

func parseSource(name, text string) (*source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s := &source{file: name, pkg: file.Name.Name, text: text}
	for _, d := range file.Decls {
		if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.IMPORT {
			for _, spec := range gen.Specs {
				s.imports = append(s.imports, newImported(fset, spec.(*ast.ImportSpec)))
			}
			continue
		}
		s.decls = append(s.decls, newDecl(fset, d, text))
	}
	return s, nil
}

func newImported(fset *token.FileSet, spec *ast.ImportSpec) imported {
	path, _ := strconv.Unquote(spec.Path.Value)
	i := imported{path: path, name: path[strings.LastIndex(path, "/")+1:],
		start: fset.Position(spec.Pos()).Offset, end: fset.Position(spec.End()).Offset,
		first: fset.Position(spec.Pos()).Line, last: fset.Position(spec.End()).Line}
	if spec.Name != nil {
		i.name = spec.Name.Name
	}
	return i
}

func newDecl(fset *token.FileSet, d ast.Decl, text string) decl {
	from := d.Pos()
	out := decl{names: map[string]bool{}}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc != nil {
			from = d.Doc.Pos()
		}
		out.key = d.Name.Name
		if d.Recv != nil && len(d.Recv.List) == 1 {
			out.key = receiver(d.Recv.List[0].Type) + "." + d.Name.Name
		} else {
			out.test = isTestFunction(d.Name.Name)
		}
	case *ast.GenDecl:
		if d.Doc != nil {
			from = d.Doc.Pos()
		}
		var names []string
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					names = append(names, n.Name)
				}
			}
		}
		out.key = strings.Join(names, " ")
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			out.names[n.Name] = true
		case *ast.ExprStmt:
			if isAssertion(n) {
				start, end := fset.Position(n.Pos()), fset.Position(n.End())
				out.assertions = append(out.assertions, statement{text[start.Offset:end.Offset], start.Line, end.Line})
			}
		}
		return true
	})
	start, end := fset.Position(from), fset.Position(d.End())
	out.start, out.end, out.first, out.last = start.Offset, end.Offset, start.Line, end.Line
	out.text = text[out.start:out.end]
	return out
}

// isAssertion reports whether s calls testify's packages: such a call only checks.
func isAssertion(s *ast.ExprStmt) bool {
	call, ok := s.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && (pkg.Name == "require" || pkg.Name == "assert")
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// isTestFunction applies go test's own rule for names.
func isTestFunction(name string) bool {
	for _, prefix := range []string{"Test", "Fuzz", "Example"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && name != "TestMain" && (rest == "" || !(rest[0] >= 'a' && rest[0] <= 'z')) {
			return true
		}
	}
	return false
}
