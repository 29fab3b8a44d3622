// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package verify checks the series of a minor against its trees: its conventions, that extracting the applied series gives the
// same bytes, formatting, types and the declaration of its tests. It runs no test and builds only the type checker.
package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"

	"github.com/kgrace/kgrace/internal/intree"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Series is the series of one minor. Its checks return faults, each with the way out, or an error if they could not check.
type Series struct {
	Repo  *kubetree.Repo
	Minor string
}

func (s Series) load() (*patchset.Series, error) { return patchset.Load(s.Repo.SeriesDir(s.Minor)) }

// laid is a series with both trees.
type laid struct {
	series       *patchset.Series
	stock, fixed *kubetree.Tree
}

// lay lays out the trees. A series that cannot be read is a fault.
func (s Series) lay(ctx context.Context) (l laid, faults []string, err error) {
	if l.series, err = s.load(); err != nil {
		return l, Faults(err), nil
	}
	l.stock, l.fixed, err = s.Repo.Both(ctx, s.Minor)
	return l, nil, err
}

// Lint checks the conventions of the patches.
func (s Series) Lint(ctx context.Context) ([]string, error) {
	series, err := s.load()
	if err != nil {
		return Faults(err), nil
	}
	catalogue, err := scenario.Catalogue()
	if err != nil {
		return nil, err
	}
	known := patchset.Known{Scenarios: scenario.IDs(catalogue)}
	for _, rule := range scenario.Rules() {
		known.Rules = append(known.Rules, string(rule))
	}
	problems, err := series.Lint(ctx, known)
	if lead := s.Repo.Versions.Default; lead != s.Minor {
		// Errors in loading that series are reported with it.
		if leads, err := (Series{s.Repo, lead}).load(); err == nil {
			// So are errors in loading the declaration.
			declared, _ := intree.LoadDeclaration(s.Repo.SeriesDir(s.Minor))
			problems = append(problems, series.CompareSubjects(leads, lead, declared.LeavesOff)...)
		}
	}
	var faults []string
	for _, p := range problems {
		faults = append(faults, p.String())
	}
	return faults, err
}

// RoundTrip extracts what kubetree applied. A series that does not apply is a fault; a tree that cannot be laid out is an
// error.
func (s Series) RoundTrip(ctx context.Context) ([]string, error) {
	l, faults, err := s.lay(ctx)
	var applyErr *patchset.ApplyError
	switch {
	case errors.As(err, &applyErr):
		return Faults(err), nil
	case err != nil || len(faults) > 0:
		return faults, err
	}
	return Faults(l.series.MatchesTree(ctx, l.fixed.Dir, l.stock.Commit)), nil
}

// Gofmt checks the files of the fixed arm that the series touches.
func (s Series) Gofmt(ctx context.Context) ([]string, error) {
	l, faults, err := s.lay(ctx)
	if err != nil || len(faults) > 0 {
		return faults, err
	}
	return gofmtFaults(l.stock.Dir, l.fixed.Dir, l.series.Files())
}

// gofmtFaults names the files of the tree that gofmt would change, except those that it would change on stock, too, since an
// older gofmt wrote them.
func gofmtFaults(stock, tree string, files []patchset.File) ([]string, error) {
	var faults []string
	for _, f := range files {
		if f.Deleted || !strings.HasSuffix(f.Path, ".go") {
			continue
		}
		have, err := os.ReadFile(filepath.Join(tree, filepath.FromSlash(f.Path)))
		if err != nil {
			return nil, err
		}
		want, err := format.Source(have)
		switch {
		case err != nil:
			faults = append(faults, fmt.Sprintf("%s: %v", f.Path, err))
		case !bytes.Equal(have, want) && gofmtClean(filepath.Join(stock, filepath.FromSlash(f.Path))):
			faults = append(faults, f.Path+" of the fixed tree is not gofmt'ed; run gofmt -w on it there, amend the patch, and extract")
		}
	}
	return faults, nil
}

// gofmtClean reports whether gofmt would leave a file alone; a missing one counts as clean.
func gofmtClean(file string) bool {
	have, err := os.ReadFile(file)
	if err != nil {
		return true
	}
	want, err := format.Source(have)
	return err == nil && bytes.Equal(have, want)
}

// Declared checks intree.yaml against the tests of both trees; kgrace intree runs them.
func (s Series) Declared(ctx context.Context) ([]string, error) {
	runner, err := s.Runner(ctx)
	if err != nil {
		return nil, err
	}
	faults, _, err := s.Declaration(runner)
	return faults, err
}

// Runner lays out the trees and returns a runner without declared tests.
func (s Series) Runner(ctx context.Context) (*intree.Runner, error) {
	series, err := s.load()
	if err != nil {
		return nil, err
	}
	stock, fixed, err := s.Repo.Both(ctx, s.Minor)
	if err != nil {
		return nil, err
	}
	runner := &intree.Runner{Stock: stock.Dir, Fixed: fixed.Dir, Toolchain: s.Repo.Versions.Minors[s.Minor].Go, Series: series, Progress: s.Repo.Progress}
	runner.Run, runner.Vet = intree.Packages(series)
	return runner, nil
}

// Declaration compares the declared tests and specs with those in which the trees differ.
func (s Series) Declaration(runner *intree.Runner) ([]string, intree.Declaration, error) {
	declared, err := intree.LoadDeclaration(s.Repo.SeriesDir(s.Minor))
	if err != nil {
		return Faults(err), declared, nil
	}
	changed, err := intree.Changed(runner.Stock, runner.Fixed, runner.Run)
	if err != nil {
		return nil, declared, err
	}
	brought, err := intree.Specs(runner.Fixed, runner.Series, runner.Vet)
	if err != nil {
		return nil, declared, err
	}
	faults := append(intree.Compare(declared.Tests, changed), intree.CompareSpecs(declared.Specs, brought)...)
	return faults, declared, nil
}

// Faults returns the texts of the errors that err joins.
func Faults(err error) (faults []string) {
	if err == nil {
		return nil
	}
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, e := range all {
		faults = append(faults, e.Error())
	}
	return faults
}
