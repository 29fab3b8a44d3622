// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package intree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// runEach applies the patches one after another to a copy of the stock tree. After each one, the packages that the series
// changes and the kubelet's packages that depend on them must build, and the tests of the packages that the patch changes
// must pass: no patch may break what a later one repairs.
func (r *Runner) runEach(ctx context.Context) ([]Result, error) {
	scratch, err := os.MkdirTemp(filepath.Dir(r.Stock), ".tmp-each-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	tree := filepath.Join(scratch, "tree")
	if _, err := tool.Git(ctx, scratch, nil, "clone", "--quiet", "--shared", r.Stock, tree); err != nil {
		return nil, err
	}
	var results []Result
	for i, p := range r.Series.Patches {
		r.say("each   %d of %d, %s", i+1, len(r.Series.Patches), p.Name)
		one := &patchset.Series{Dir: r.Series.Dir, Patches: r.Series.Patches[i : i+1]}
		if err := one.Apply(ctx, tree); err != nil {
			return results, err
		}
		res, err := r.runPatch(ctx, tree, one)
		if err != nil {
			return results, err
		}
		for j := range res {
			res[j].Package = p.Name[:4] + " " + res[j].Package
		}
		results = append(results, res...)
	}
	return results, nil
}

// runPatch builds and tests a tree after one patch.
func (r *Runner) runPatch(ctx context.Context, tree string, one *patchset.Series) ([]Result, error) {
	start := time.Now()
	build := Result{Package: "go build", Arm: each}
	stop := r.heartbeat("each   building pkg/kubelet/... and testing")
	defer stop()
	_, err := tool.Go(ctx, tree, r.Toolchain, nil, "build", "./pkg/kubelet/...")
	var failed *tool.Error
	switch {
	case err == nil:
		build.set(verdict.Kept, "pkg/kubelet/... builds")
	case errors.As(err, &failed) && ctx.Err() == nil:
		build.set(verdict.Regressed, "does not build")
		build.Output = failed.Stderr
	default:
		return nil, err
	}
	build.Seconds = time.Since(start).Seconds()
	results := []Result{build}
	run, _ := Packages(one)
	if len(run) == 0 {
		return results, nil
	}
	s, stderr, err := r.goTest(ctx, tree, each, run, nil)
	if err != nil {
		return nil, fmt.Errorf("after %s: %w", one.Patches[0].Name, err)
	}
	return append(results, s.results(stderr)...), nil
}
