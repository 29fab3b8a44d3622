// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

// Upstream lays out into dir, which must not exist, the stock arm that the minor would have with the pins m, and returns
// its commit. The repository also contains the objects of the current stock arm, so that git can merge patches written for
// it. It changes nothing else; dir is not one of the minor's trees, and the caller removes it.
func (r *Repo) Upstream(ctx context.Context, minor string, m versions.Minor, dir string) (commit string, err error) {
	stock, err := r.Ensure(ctx, minor, verdict.Stock, nil)
	if err != nil {
		return "", err
	}
	src, err := r.source(ctx, m)
	if err != nil {
		return "", err
	}
	p := tool.Progress{To: r.Progress, What: fmt.Sprintf("tree %s", m.Kubernetes)}
	unlock, err := r.lock(ctx, "trees", p)
	if err != nil {
		return "", err
	}
	defer unlock()
	if err := r.NeedSpace(r.treesDir(), treeSpace, "a source tree"); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(r.treesDir(), tempPrefix)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	tree := filepath.Join(tmp, "tree")
	if err := os.Mkdir(tree, 0o755); err != nil {
		return "", err
	}
	if err := r.layStock(ctx, m, src, tree, p); err != nil {
		return "", ExplainSpace(err)
	}
	if _, err := tool.Git(ctx, tree, nil, "fetch", "--quiet", "--no-tags", stock.Dir, stock.Commit+":refs/kgrace/before"); err != nil {
		return "", ExplainSpace(err)
	}
	if commit, _, err = head(ctx, tree); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	return commit, os.Rename(tree, dir)
}
