// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package intree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// TestEach has a series whose first patch breaks what its second repairs.
func TestEach(t *testing.T) {
	r := newRunner(t)
	run := func(args ...string) {
		t.Helper()
		if _, err := tool.Git(t.Context(), r.Stock, []string{"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org"}, args...); err != nil {
			t.Fatal(err)
		}
	}
	commit := func(message, file string) {
		t.Helper()
		write(t, filepath.Join(r.Stock, file), fixedTree[file])
		run("add", "--all")
		run("commit", "--quiet", "--message="+message)
	}
	run("init", "--quiet")
	run("add", "--all")
	run("commit", "--quiet", "--message=stock")
	run("tag", "base")
	commit("kubelet: deadlines", "pkg/kubelet/graceperiod/graceperiod.go")
	commit("kubelet: carry zero", "pkg/kubelet/kubelet.go")
	commit("kubelet: test it", "pkg/kubelet/kubelet_test.go")
	dir := t.TempDir()
	if _, err := patchset.Extract(t.Context(), r.Stock, "base", dir); err != nil {
		t.Fatal(err)
	}
	run("reset", "--quiet", "--hard", "base")
	var err error
	if r.Series, err = patchset.Load(dir); err != nil {
		t.Fatal(err)
	}
	results, err := r.Do(t.Context(), StepEach)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]verdict.Verdict{}
	for _, res := range results {
		got[res.Name()] = res.Verdict
	}
	for name, want := range map[string]verdict.Verdict{
		"0001 go build": verdict.Kept, "0001 pkg/kubelet/graceperiod": verdict.Kept,
		"0002 go build": verdict.Kept, "0002 pkg/kubelet": verdict.Invalid, // its tests call Wait with the old arguments
		"0003 go build": verdict.Kept, "0003 pkg/kubelet": verdict.Kept,
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(r.Stock))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".tmp-") {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}
