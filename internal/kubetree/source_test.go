// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetree

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/kgrace/kgrace/internal/kubetree/kubetest"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestGitCheckoutGivesTheSameTree(t *testing.T) {
	want := ensure(t, newRepo(t), verdict.Stock)
	r := newRepo(t)
	r.Source = kubetest.KubeCheckout(t)
	before := kubetest.Git(t, r.Source, "status", "--porcelain", "--ignored")
	got := ensure(t, r, verdict.Stock)
	if got.Commit != want.Commit {
		t.Errorf("commit %s, from the module %s; differing files:\n%s", got.Commit, want.Commit,
			kubetest.Git(t, got.Dir, "diff", "--stat", "--no-index", "--", want.Dir, got.Dir))
	}
	if after := kubetest.Git(t, r.Source, "status", "--porcelain", "--ignored"); after != before {
		t.Errorf("the checkout was touched:\n%s", after)
	}
	noLeftovers(t, r)
}

func TestWrongCheckouts(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string) string
		says  []string
	}{
		"no directory": {
			func(_ *testing.T, dir string) string { return filepath.Join(dir, "absent") },
			[]string{"is not a directory", kubetest.Tag},
		},
		"no repository": {
			func(t *testing.T, _ string) string { return t.TempDir() },
			[]string{"is not a git checkout"},
		},
		"subdirectory": {
			func(_ *testing.T, dir string) string { return filepath.Join(dir, "pkg") },
			[]string{"is a directory inside"},
		},
		"no commit": {
			func(t *testing.T, _ string) string {
				empty := t.TempDir()
				kubetest.Git(t, empty, "init", "--quiet")
				return empty
			},
			[]string{"has no commit"},
		},
		"no tag": {
			func(t *testing.T, dir string) string {
				kubetest.Git(t, dir, "tag", "--delete", kubetest.Tag)
				return dir
			},
			[]string{"has no tag " + kubetest.Tag, "fetch"},
		},
		"another commit": {
			func(t *testing.T, dir string) string {
				kubetest.Git(t, dir, "commit", "--quiet", "--allow-empty", "--message", "later")
				kubetest.Git(t, dir, "tag", "v1.37.3")
				return dir
			},
			[]string{"is at v1.37.3, want tag " + kubetest.Tag, "switch --detach " + kubetest.Tag},
		},
		"changed file": {
			func(t *testing.T, dir string) string {
				kubetest.WriteFiles(t, dir, map[string]string{"LICENSE": "changed\n"})
				return dir
			},
			[]string{"has changes", "LICENSE"},
		},
		"new file": {
			func(t *testing.T, dir string) string {
				kubetest.WriteFiles(t, dir, map[string]string{"pkg/new.go": "package pkg\n"})
				return dir
			},
			[]string{"has changes", "pkg/new.go"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			ensure(t, r, verdict.Stock) // an existing tree does not excuse a wrong checkout
			r.Source = c.spoil(t, kubetest.KubeCheckout(t))
			_, err := r.Ensure(t.Context(), kubetest.Minor, verdict.Stock, nil)
			kubetest.WantError(t, err, append(c.says, SourceVar+"="+r.Source)...)
			noLeftovers(t, r)
		})
	}
}

func TestCheckoutInterrupted(t *testing.T) {
	r := newRepo(t)
	r.Source = kubetest.KubeCheckout(t)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := r.Ensure(ctx, kubetest.Minor, verdict.Stock, kubetest.CancelAt("check out", cancel)); err == nil {
		t.Error("no error")
	}
	noLeftovers(t, r)
}

func TestPublishedStagingRefusesOtherGoMods(t *testing.T) {
	_, _, err := publishedStaging("go.mod", []byte("module example.test/x\n\nreplace example.test/y => ../y\n"), "v0.37.2", nil)
	kubetest.WantError(t, err, "go.mod", "staging")
	_, _, err = publishedStaging("go.mod", []byte("require\n"), "v0.37.2", nil)
	kubetest.WantError(t, err, "go.mod:1")
}

func TestVersionTime(t *testing.T) {
	dir := t.TempDir()
	kubetest.WriteFiles(t, dir, map[string]string{"good": `{"Time":"2026-10-27T12:01:04Z"}`, "none": `{}`, "bad": `{`})
	if at, err := versionTime(filepath.Join(dir, "good")); err != nil || at.Unix() != 1793102464 {
		t.Errorf("got %v, %v", at, err)
	}
	for _, name := range []string{"none", "bad"} {
		_, err := versionTime(filepath.Join(dir, name))
		kubetest.WantError(t, err, name)
	}
	if _, err := versionTime(filepath.Join(dir, "absent")); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
}
