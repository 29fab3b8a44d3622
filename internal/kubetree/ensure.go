// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

// Tree is a finished source tree.
type Tree struct {
	Dir   string      `json:"dir"`
	Minor string      `json:"minor"`
	Arm   verdict.Arm `json:"arm"`
	// Commit is HEAD of the tree's git repository; equal inputs give equal commits on every machine.
	Commit string `json:"commit"`
	// Kubernetes is the tag of the tree.
	Kubernetes string `json:"kubernetes"`
}

func (r *Repo) treesDir() string { return filepath.Join(r.Output, "trees") }

// Ensure lays out an arm unless it exists for the current pins and series, and returns it. The fixed arm implies the stock
// one. minor "" means the default; progress nil means the Repo's own.
//
// It returns an error for an unknown minor or arm, a module that cannot be downloaded, an unsuitable KUBE_SRC, too little
// space, a fixed arm without patches (*NoSeriesError), a patch that does not apply (*patchset.ApplyError), or a tree with edits (*EditedError). After an error or an
// interrupt, the previous tree is untouched, and nothing half-finished is left.
func (r *Repo) Ensure(ctx context.Context, minor string, arm verdict.Arm, progressTo io.Writer) (*Tree, error) {
	return r.ensure(ctx, minor, arm, progressTo, false)
}

// Both lays out both arms like Ensure.
func (r *Repo) Both(ctx context.Context, minor string) (stock, fixed *Tree, err error) {
	if stock, err = r.Ensure(ctx, minor, verdict.Stock, nil); err != nil {
		return nil, nil, err
	}
	fixed, err = r.Ensure(ctx, minor, verdict.Fixed, nil)
	return stock, fixed, err
}

// Reset is like Ensure, but discards edits in the arm's tree.
func (r *Repo) Reset(ctx context.Context, minor string, arm verdict.Arm, progressTo io.Writer) (*Tree, error) {
	return r.ensure(ctx, minor, arm, progressTo, true)
}

func (r *Repo) ensure(ctx context.Context, minor string, arm verdict.Arm, progressTo io.Writer, reset bool) (*Tree, error) {
	minor, m, err := r.Resolve(minor)
	if err != nil {
		return nil, err
	}
	if _, err := verdict.ParseArm(string(arm)); err != nil {
		return nil, err
	}
	if progressTo == nil {
		progressTo = r.Progress
	}
	if arm == verdict.Fixed {
		// Before the stock arm, which takes minutes.
		if _, err := r.series(minor); err != nil {
			return nil, err
		}
	}
	src, err := r.source(ctx, m)
	if err != nil {
		return nil, err
	}
	p := tool.Progress{To: progressTo, What: fmt.Sprintf("tree %s", minor)}
	unlock, err := r.lock(ctx, "trees", p)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := r.removeLeftovers(); err != nil {
		return nil, err
	}
	stock, err := r.ensureStock(ctx, minor, m, src, progressTo, reset && arm == verdict.Stock)
	if err != nil || arm == verdict.Stock {
		return stock, ExplainSpace(err)
	}
	fixed, err := r.ensureFixed(ctx, minor, m, src, stock, progressTo, reset)
	return fixed, ExplainSpace(err)
}

func (r *Repo) ensureStock(ctx context.Context, minor string, m versions.Minor, src source, w io.Writer, reset bool) (*Tree, error) {
	t := &Tree{Dir: r.TreeDir(minor, verdict.Stock), Minor: minor, Arm: verdict.Stock, Kubernetes: m.Kubernetes}
	p := tool.Progress{To: w, What: fmt.Sprintf("tree %s/%s", minor, verdict.Stock)}
	inputs := []any{layoutFormat, m.Kubernetes, m.Staging, src.id}
	if len(m.Stubs) > 0 {
		key, err := r.stubsKey(ctx, m)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, key)
	}
	s := stamp{Inputs: Hash(inputs...), Kubernetes: m.Kubernetes, Source: src.id}
	return t, r.place(ctx, t, s, reset, func(dir string) error { return r.layStock(ctx, m, src, dir, p) })
}

// layStock lays out the stock arm in the empty directory dir.
func (r *Repo) layStock(ctx context.Context, m versions.Minor, src source, dir string, p tool.Progress) error {
	from, at, closeDir, err := src.open(ctx, p)
	if err != nil {
		return err
	}
	defer closeDir()
	done := p.Step("copy files")
	_, err = copyTree(ctx, from, dir)
	done(err)
	if err != nil {
		return err
	}
	done = p.Step("get staging modules %s", m.Staging)
	err = r.useStagingModules(ctx, dir, m)
	done(err)
	if err != nil {
		return err
	}
	done = p.Step("commit")
	err = commitAll(ctx, dir, m.Kubernetes, at)
	done(err)
	return err
}

func (r *Repo) ensureFixed(ctx context.Context, minor string, m versions.Minor, src source, stock *Tree, w io.Writer, reset bool) (*Tree, error) {
	t := &Tree{Dir: r.TreeDir(minor, verdict.Fixed), Minor: minor, Arm: verdict.Fixed, Kubernetes: m.Kubernetes}
	p := tool.Progress{To: w, What: fmt.Sprintf("tree %s/%s", minor, verdict.Fixed)}
	series, err := r.series(minor)
	if err != nil {
		return nil, err
	}
	s := stamp{Inputs: Hash(layoutFormat, stock.Commit, series.Hash()), Kubernetes: m.Kubernetes, Source: src.id, Series: series.Hash()}
	return t, r.place(ctx, t, s, reset, func(dir string) error {
		done := p.Step("clone the stock arm")
		err := clone(ctx, stock.Dir, dir)
		done(err)
		if err != nil {
			return err
		}
		done = p.Step("apply %d patches", len(series.Patches))
		err = series.Apply(ctx, dir)
		done(err)
		return err
	})
}

// series loads the minor's patches; a *NoSeriesError means that there are none.
func (r *Repo) series(minor string) (*patchset.Series, error) {
	file := filepath.Join(r.SeriesDir(minor), patchset.SeriesFile)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, &NoSeriesError{Minor: minor, File: file, Stock: r.TreeDir(minor, verdict.Stock)}
	}
	return patchset.Load(r.SeriesDir(minor))
}
