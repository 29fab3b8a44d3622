// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/kgrace/kgrace/internal/verdict"
)

// runRepeatedly carries out whole runs, each into a directory of its own. None is forgiven: the worst one decides.
func (q *regression) runRepeatedly(ctx context.Context, app *app) error {
	dir, err := q.artifactsDir(app)
	if err != nil {
		return err
	}
	var reds, errs []error
	for i := 1; i <= q.repeat; i++ {
		one := *q
		one.artifacts = filepath.Join(dir, fmt.Sprintf("run-%d", i))
		fmt.Fprintf(app.output, "Run %d of %d\n\n", i, q.repeat)
		err := one.carryOut(ctx, app)
		if ctx.Err() != nil {
			return err
		}
		var coded *exitError
		isCoded := errors.As(err, &coded)
		switch {
		case isCoded && coded.code == verdict.ExitUsage:
			return err // it is the same for all runs
		case isCoded && coded.code == verdict.ExitRed:
			reds = append(reds, fmt.Errorf("run %d: %w", i, err))
		case err != nil:
			errs = append(errs, fmt.Errorf("run %d: %w", i, err))
		}
		fmt.Fprintln(app.output)
	}
	fmt.Fprintf(app.output, "%d runs: %d good, %d red, %d invalid; artifacts in %s\n", q.repeat, q.repeat-len(reds)-len(errs), len(reds), len(errs), dir)
	if len(reds) > 0 {
		return red(errors.Join(append(reds, errs...)...))
	}
	return errors.Join(errs...)
}

// artifactsDir returns the directory for artifacts, which compiled suites need not be in a checkout for.
func (q *regression) artifactsDir(app *app) (string, error) {
	if q.split.suites != "" {
		_, dir, err := q.split.open(q.minor, q.artifacts)
		return dir, err
	}
	if q.artifacts != "" {
		return filepath.Abs(q.artifacts)
	}
	r, err := app.repo()
	if err != nil {
		return "", err
	}
	return filepath.Join(r.Output, "artifacts"), nil
}
