// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetree

import (
	"testing"

	"github.com/kgrace/kgrace/internal/kubetree/kubetest"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// newRepo returns a checkout of this project with nothing but versions.yaml.
func newRepo(t *testing.T) *Repo {
	t.Helper()
	r, err := Open(kubetest.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	r.Progress = t.Output()
	return r
}

func ensure(t *testing.T, r *Repo, arm verdict.Arm) *Tree {
	t.Helper()
	tree, err := r.Ensure(t.Context(), kubetest.Minor, arm, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// writeSeries writes the default minor's series for the tests.
func writeSeries(t *testing.T, r *Repo, edits ...string) {
	t.Helper()
	kubetest.WriteSeries(t, ensure(t, r, verdict.Stock).Dir, r.SeriesDir(kubetest.Minor), edits...)
}
