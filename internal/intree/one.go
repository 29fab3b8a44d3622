// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package intree

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/verdict"
)

// Tests runs all tests of packages on a tree and returns a result for each package. An error means that they could not be
// run, not that one failed. Unlike the step fixed it does not use the race detector.
func (r *Runner) Tests(ctx context.Context, tree string, packages []string) ([]Result, error) {
	s, stderr, err := r.goTest(ctx, tree, each, packages, nil)
	if err != nil {
		return nil, err
	}
	return s.results(stderr), nil
}

// Own runs only the declared tests, on a tree that has what they test. It returns a result for each, and one for each
// package that does not compile or in which another test fails.
func (r *Runner) Own(ctx context.Context, tree string, declared []Declared) ([]Result, error) {
	var functions []string
	for _, d := range declared {
		if name := regexp.QuoteMeta(d.function()); !slices.Contains(functions, name) {
			functions = append(functions, name)
		}
	}
	s, stderr, err := r.goTest(ctx, tree, verdict.Fixed, packagesOf(declared), nil, "-run=^(?:"+strings.Join(functions, "|")+")$")
	if err != nil {
		return nil, err
	}
	results := slices.DeleteFunc(s.results(stderr), Result.Good)
	for _, d := range declared {
		results = append(results, s.declaredResult(d))
	}
	return results, nil
}
