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

package main

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
	"github.com/kgrace/kgrace/internal/verdict"
)

func lintSeries(ctx context.Context, r *kubetree.Repo, minor string) ([]string, error) {
	series, err := patchset.Load(r.SeriesDir(minor))
	if err != nil {
		return faultsOf(err), nil
	}
	known, err := knownIDs()
	if err != nil {
		return nil, err
	}
	problems, err := series.Lint(ctx, known)
	if lead := r.Versions.Default; lead != minor {
		// Errors in loading that series are reported with it.
		if leads, err := patchset.Load(r.SeriesDir(lead)); err == nil {
			// So are errors in loading the declaration.
			declared, _ := intree.LoadDeclaration(r.SeriesDir(minor))
			problems = append(problems, series.CompareSubjects(leads, lead, declared.LeavesOff)...)
		}
	}
	var faults []string
	for _, p := range problems {
		faults = append(faults, p.String())
	}
	return faults, err
}

// declaredTests checks intree.yaml against the tests of both trees; kgrace intree runs them.
func declaredTests(ctx context.Context, r *kubetree.Repo, minor string) ([]string, error) {
	runner, err := intreeRunner(ctx, r, minor)
	if err != nil {
		return nil, err
	}
	faults, _, err := declaredFaults(r, minor, runner)
	return faults, err
}

// roundTrip extracts what kubetree applied. A series that does not apply is a fault; a tree that cannot be laid out is an
// error.
func roundTrip(ctx context.Context, r *kubetree.Repo, minor string) ([]string, error) {
	series, err := patchset.Load(r.SeriesDir(minor))
	if err != nil {
		return faultsOf(err), nil
	}
	stock, err := r.Ensure(ctx, minor, verdict.Stock, nil)
	if err != nil {
		return nil, err
	}
	fixed, err := r.Ensure(ctx, minor, verdict.Fixed, nil)
	var applyErr *patchset.ApplyError
	if errors.As(err, &applyErr) {
		return faultsOf(err), nil
	}
	if err != nil {
		return nil, err
	}
	return faultsOf(series.MatchesTree(ctx, fixed.Dir, stock.Commit)), nil
}

// gofmtSeries checks the files of the fixed arm that the series touches.
func gofmtSeries(ctx context.Context, r *kubetree.Repo, minor string) ([]string, error) {
	series, err := patchset.Load(r.SeriesDir(minor))
	if err != nil {
		return faultsOf(err), nil
	}
	stock, err := r.Ensure(ctx, minor, verdict.Stock, nil)
	if err != nil {
		return nil, err
	}
	fixed, err := r.Ensure(ctx, minor, verdict.Fixed, nil)
	if err != nil {
		return nil, err
	}
	return gofmtFaults(stock.Dir, fixed.Dir, series.Files())
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
