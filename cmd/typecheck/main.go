// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Typecheck type-checks packages of a Kubernetes tree, their tests included, from source: `go run ./cmd/typecheck
// -tree DIR PACKAGE...`. It prints every error with its position and exits with 1 if there is one, with 3 if the packages
// could not be loaded.
//
// It is a separate program because the checker must come from the toolchain of the tree.
//
// -absent MODULE,... names modules that are missing or replaced by stubs. Errors in a package that depends on one are ignored
// if that package is only imported. The named packages are still checked, as far as their imports have types.
//
// It runs Go's own type checker on every file and function body of the named packages, under the tree's go.mod. It compiles
// nothing: it skips function bodies in packages that are only imported and leaves the build cache alone, so that it takes
// seconds where go vet takes minutes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	tree := flag.String("tree", "", "the tree's directory")
	absent := flag.String("absent", "", "comma-separated modules that are missing or replaced by stubs")
	flag.Parse()
	if *tree == "" || flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "typecheck: want -tree DIR [-absent MODULE,...] PACKAGE...")
		os.Exit(2)
	}
	faults, err := check(*tree, flag.Args(), strings.FieldsFunc(*absent, func(r rune) bool { return r == ',' }))
	for _, f := range faults {
		fmt.Println(f)
	}
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "typecheck:", err)
		os.Exit(3)
	case len(faults) > 0:
		os.Exit(1)
	}
}

// check returns the type errors of the packages, each once, with file names relative to the tree.
func check(tree string, patterns, absent []string) ([]string, error) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedModule,
		Dir:   tree,
		Env:   append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOPACKAGESDRIVER=off"),
		Tests: true,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	if len(loaded) == 0 {
		return nil, errors.New("no package matches")
	}
	var faults, unloaded []string
	without := lacking{absent: absent, known: map[*packages.Package]bool{}}
	add := func(p *packages.Package) {
		for _, e := range p.Errors {
			if without.names(e) {
				continue
			}
			text := strings.ReplaceAll(e.Error(), tree+"/", "")
			switch {
			case e.Kind == packages.ListError:
				// A missing module or directory.
				unloaded = append(unloaded, text)
			case !slices.Contains(faults, text):
				faults = append(faults, text)
			}
		}
	}
	for _, p := range loaded {
		add(p)
	}
	if len(faults) == 0 {
		// Errors in imported packages only explain faults of the named ones. Without such faults they mean that nothing was checked.
		packages.Visit(loaded, nil, func(p *packages.Package) {
			if without.stands(p) {
				return
			}
			for _, e := range p.Errors {
				unloaded = append(unloaded, strings.ReplaceAll(e.Error(), tree+"/", ""))
			}
		})
	}
	if len(unloaded) > 0 {
		slices.Sort(unloaded)
		return faults, errors.New(strings.Join(slices.Compact(unloaded), "\n"))
	}
	return faults, nil
}

// lacking finds the packages that depend on an absent module.
type lacking struct {
	absent []string
	known  map[*packages.Package]bool
}

// names reports whether an error is about a missing package of such a module.
func (l lacking) names(e packages.Error) bool {
	for _, module := range l.absent {
		if strings.Contains(e.Msg, "could not import "+module+"/") || strings.Contains(e.Msg, "provides package "+module+"/") {
			return true
		}
	}
	return false
}

// stands reports whether a package belongs to such a module or imports one that does, directly or not.
func (l lacking) stands(p *packages.Package) bool {
	if found, ok := l.known[p]; ok {
		return found
	}
	found := slices.ContainsFunc(p.Errors, l.names) ||
		slices.ContainsFunc(l.absent, func(module string) bool { return strings.HasPrefix(p.PkgPath, module+"/") })
	for _, imported := range p.Imports {
		found = found || l.stands(imported)
	}
	l.known[p] = found
	return found
}
