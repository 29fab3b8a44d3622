// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/kubetree/kubetest"
	"github.com/kgrace/kgrace/internal/verdict"
)

// withStubs returns a repo whose default minor has stubs.
func withStubs(t *testing.T, ins map[string]string) *Repo {
	t.Helper()
	r := newRepo(t)
	m := r.Versions.Minors[kubetest.Minor]
	m.Stubs = ins
	r.Versions.Minors[kubetest.Minor] = m
	return r
}

func TestStubs(t *testing.T) {
	r := withStubs(t, map[string]string{"k8s.io/component-base": "k8s.io/client-go@v0.37.2/pkg"})
	stock := ensure(t, r, verdict.Stock)
	if got := kubetest.Read(t, filepath.Join(stock.Dir, "staging/src/k8s.io/component-base/go.mod")); got != "module k8s.io/component-base\n\ngo 1.26.0\n" {
		t.Errorf("its go.mod is %q", got)
	}
	gomod := kubetest.Read(t, filepath.Join(stock.Dir, "go.mod"))
	if !strings.Contains(gomod, "replace k8s.io/component-base => ./staging/src/k8s.io/component-base\n") || strings.Contains(gomod, "client-go =>") {
		t.Errorf("go.mod is\n%s", gomod)
	}
	if strings.Contains(kubetest.Read(t, filepath.Join(stock.Dir, "go.sum")), "component-base") {
		t.Error("go.sum has a module that was not downloaded")
	}
}

func TestStubOfTheCheckout(t *testing.T) {
	r := withStubs(t, map[string]string{"k8s.io/component-base": "./stub/base"})
	kubetest.WriteFiles(t, r.Root, map[string]string{
		"stub/base/version/version.go":      "package version\n",
		"stub/base/version/version_test.go": "package version\n\nnonsense\n",
		"stub/base/word/word.go":            "package word\n\nconst Word = \"standing in\"\n",
	})
	before := ensure(t, r, verdict.Stock).Commit
	kubetest.WriteFiles(t, r.Root, map[string]string{"stub/base/word/word.go": "package word\n\nconst Word = \"changed\"\n"})
	if after := ensure(t, r, verdict.Stock).Commit; after == before {
		t.Error("the tree does not follow the stub's files")
	}
}

func TestStubThatIsAnotherVersion(t *testing.T) {
	r := withStubs(t, map[string]string{"k8s.io/component-base": "k8s.io/component-base@v0.37.2"})
	gomod := kubetest.Read(t, filepath.Join(ensure(t, r, verdict.Stock).Dir, "go.mod"))
	if !strings.Contains(gomod, "replace k8s.io/component-base => k8s.io/component-base v0.37.2\n") {
		t.Errorf("go.mod is\n%s", gomod)
	}
}

func TestEmptyStub(t *testing.T) {
	r := withStubs(t, map[string]string{"k8s.io/component-base": "none"})
	dir := filepath.Join(ensure(t, r, verdict.Stock).Dir, "staging/src/k8s.io/component-base")
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v; want go.mod alone", entries, err)
	}
}

func TestStubsThatCannotBe(t *testing.T) {
	for said, ins := range map[string]map[string]string{
		"does not require example.test/nobody": {"example.test/nobody": "none"},
		"no Go file below":                     {"k8s.io/component-base": "k8s.io/client-go@v0.37.2/pkg/nothing"},
		"stub/missing":                         {"k8s.io/component-base": "./stub/missing"},
	} {
		r := withStubs(t, ins)
		_, err := r.Ensure(t.Context(), kubetest.Minor, verdict.Stock, nil)
		if err == nil || !strings.Contains(err.Error(), said) && !strings.Contains(err.Error(), "no such file") {
			t.Errorf("%v: got %v, want %q", ins, err, said)
		}
	}
}
