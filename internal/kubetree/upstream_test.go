// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/kubetree/kubetest"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestUpstreamOfAnotherRelease(t *testing.T) {
	r := newRepo(t)
	writeSeries(t, r, kubetest.KubeletWith(0))
	was := ensure(t, r, verdict.Fixed).Commit
	m, err := r.Versions.Minors[kubetest.Minor].Move("v1.37.3")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(r.Output, "rebase", kubetest.Minor, "tree")
	base, err := r.Upstream(t.Context(), kubetest.Minor, m, dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := kubetest.Git(t, dir, "rev-parse", "HEAD"); got != base {
		t.Errorf("HEAD is %s, want %s", got, base)
	}
	if got := kubetest.Git(t, dir, "log", "-1", "--format=%s"); got != "Kubernetes v1.37.3" {
		t.Errorf("the commit is %q", got)
	}
	series, err := patchset.Load(r.SeriesDir(kubetest.Minor))
	if err != nil {
		t.Fatal(err)
	}
	// The next release has moved the code, so git finds it only through the objects of the previous one.
	if err := series.Rebase(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if text := kubetest.Read(t, filepath.Join(dir, "pkg/kubelet/kubelet.go")); !strings.Contains(text, "Grace = 0") || !strings.Contains(text, "third release") {
		t.Errorf("the file is\n%s", text)
	}
	if got := ensure(t, r, verdict.Fixed).Commit; got != was {
		t.Error("the minor's own tree has changed")
	}
	if _, err := r.Upstream(t.Context(), kubetest.Minor, m, dir); err == nil {
		t.Error("an existing directory was accepted")
	}
	if left, _ := filepath.Glob(filepath.Join(r.treesDir(), tempPrefix+"*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestUpstreamThatCannotBeHad(t *testing.T) {
	r := newRepo(t)
	m, err := r.Versions.Minors[kubetest.Minor].Move("v1.37.99")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "tree")
	_, err = r.Upstream(t.Context(), kubetest.Minor, m, dir)
	kubetest.WantError(t, err, "k8s.io/kubernetes@v1.37.99")
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("something is left (%v)", err)
	}
}
