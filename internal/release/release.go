// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/kgrace/kgrace/internal/kubebuild"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Options select a release.
type Options struct {
	// Repo is the checkout, Minor one of its minors; "" means the default one.
	Repo  *kubetree.Repo
	Minor string
	// Arches are the architectures of the kubelets; none means all that can be built.
	Arches []string
	// To is the directory that receives the release, in a directory named after the minor.
	To string
}

// Result describes a written release.
type Result struct {
	Dir        string `json:"dir"`
	Minor      string `json:"minor"`
	Kubernetes string `json:"kubernetes"` // the tag
	Version    string `json:"version"`    // of the kubelets
	Files      []File `json:"files"`      // all but SHA256SUMS
}

// File is one file of a release.
type File struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// Build builds the kubelets that are missing and writes the directory. An earlier release in its place is replaced once the new
// one is complete; any other directory there is an error.
func Build(ctx context.Context, o Options) (*Result, error) {
	minor := o.Minor
	if minor == "" {
		minor = o.Repo.Versions.Default
	}
	m, err := o.Repo.Versions.Minor(minor)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(filepath.Join(o.To, minor))
	if err != nil {
		return nil, err
	}
	// Before minutes of compiling.
	if err := replaceable(dir); err != nil {
		return nil, err
	}
	c := content{Minor: minor, Kubernetes: m.Kubernetes, Version: m.FixedVersion(), tool: o.Repo.ToolVersion(ctx)}
	if c.series, err = patchset.Load(o.Repo.SeriesDir(minor)); err != nil {
		return nil, err
	}
	tree, err := o.Repo.Ensure(ctx, minor, verdict.Fixed, nil)
	if err != nil {
		return nil, err
	}
	if c.date, err = dateOf(ctx, tree); err != nil {
		return nil, err
	}
	if o.Repo.Source == "" {
		found, err := tool.Download(ctx, m.Go, "k8s.io/kubernetes@"+m.Kubernetes)
		if err != nil {
			return nil, err
		}
		c.sum = found[0].Sum
	}
	arches := o.Arches
	if len(arches) == 0 {
		arches = kubebuild.Arches
	}
	for _, arch := range slices.Compact(slices.Sorted(slices.Values(arches))) {
		b, err := kubebuild.New(o.Repo).BuildFor(ctx, minor, verdict.Fixed, "kubelet", arch)
		if err != nil {
			return nil, err
		}
		if err := c.add(b); err != nil {
			return nil, err
		}
	}
	files, err := c.write(dir)
	if err != nil {
		return nil, fmt.Errorf("release %s: %w", c.Version, err)
	}
	return &Result{Dir: dir, Minor: minor, Kubernetes: c.Kubernetes, Version: c.Version, Files: files}, nil
}

// dateOf returns the date of the tree's commit, which depends on the inputs alone.
func dateOf(ctx context.Context, tree *kubetree.Tree) (time.Time, error) {
	out, err := tool.Git(ctx, tree.Dir, nil, "show", "--no-patch", "--format=%ct", tree.Commit)
	if err != nil {
		return time.Time{}, err
	}
	var seconds int64
	if _, err := fmt.Sscan(out, &seconds); err != nil {
		return time.Time{}, fmt.Errorf("date of commit %s: %w", tree.Commit, err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// replaceable returns an error for a directory that is neither missing nor empty nor an earlier release.
func replaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, sumsFile)); err != nil {
		return fmt.Errorf("%s has files, but no %s: it is not a release that could be replaced; name another directory", dir, sumsFile)
	}
	return nil
}
