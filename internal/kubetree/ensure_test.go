// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetree

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/kubetree/kubetest"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// noLeftovers checks that nothing half-finished is left.
func noLeftovers(t *testing.T, r *Repo) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(r.treesDir(), tempPrefix+"*"))
	if err != nil || len(found) > 0 {
		t.Errorf("left behind: %v (%v)", found, err)
	}
}

func TestStockTree(t *testing.T) {
	r := newRepo(t)
	tree := ensure(t, r, verdict.Stock)
	if want := filepath.Join(r.Output, "trees", "v1.37", "stock"); tree.Dir != want {
		t.Errorf("tree in %s, want %s", tree.Dir, want)
	}
	for name, data := range kubetest.KubeFiles {
		switch name {
		case "go.mod", "go.sum", "go.work", "go.work.sum", "vendor/modules.txt":
		default:
			if got := kubetest.Read(t, tree.Dir, name); got != data {
				t.Errorf("%s = %q, want %q", name, got, data)
			}
		}
	}
	for _, gone := range []string{"go.work", "go.work.sum", "vendor", "staging"} {
		if _, err := os.Stat(filepath.Join(tree.Dir, gone)); !os.IsNotExist(err) {
			t.Errorf("%s is in the tree", gone)
		}
	}
	const wantMod = `module k8s.io/kubernetes

go 1.26.0

// Upstream's own comment.
require (
	k8s.io/client-go v0.37.2
	k8s.io/component-base v0.37.2 // indirect
)
`
	if got := kubetest.Read(t, tree.Dir, "go.mod"); strings.TrimRight(got, "\n") != strings.TrimRight(wantMod, "\n") {
		t.Errorf("go.mod:\n%s\nwant:\n%s", got, wantMod)
	}
	var sums []string
	for line := range strings.Lines(kubetest.Read(t, tree.Dir, "go.sum")) {
		sums = append(sums, strings.Join(strings.Fields(line)[:2], " "))
	}
	want := "k8s.io/client-go v0.37.2,k8s.io/client-go v0.37.2/go.mod,k8s.io/component-base v0.37.2,k8s.io/component-base v0.37.2/go.mod"
	if got := strings.Join(sums, ","); got != want {
		t.Errorf("go.sum has %s, want %s", got, want)
	}
	if s := kubetest.Git(t, tree.Dir, "status", "--porcelain", "--ignored"); s != "" {
		t.Errorf("the tree is not clean:\n%s", s)
	}
	if got := kubetest.Git(t, tree.Dir, "show", "--no-patch", "--format=%an %ae %aI %cn %ce %cI"); got !=
		"kgrace kgrace@invalid "+strings.Replace(kubetest.Time, "Z", "+00:00", 1)+" kgrace kgrace@invalid "+strings.Replace(kubetest.Time, "Z", "+00:00", 1) {
		t.Errorf("commit by %s", got)
	}
	if head := kubetest.Git(t, tree.Dir, "rev-parse", "HEAD"); head != tree.Commit {
		t.Errorf("Commit = %s, HEAD is %s", tree.Commit, head)
	}
	if again := ensure(t, newRepo(t), verdict.Stock); again.Commit != tree.Commit {
		t.Errorf("a second checkout gives commit %s, the first %s", again.Commit, tree.Commit)
	}
}

func TestEnsureAgainDoesNothing(t *testing.T) {
	r := newRepo(t)
	writeSeries(t, r, kubetest.KubeletWith(1))
	first := ensure(t, r, verdict.Fixed)
	before, err := os.Stat(first.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	second, err := r.Ensure(t.Context(), "", verdict.Fixed, &said)
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(second.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if *first != *second || !os.SameFile(before, after) || said.Len() > 0 {
		t.Errorf("laid out again: %+v, then %+v, saying %q", first, second, said.String())
	}
}

func TestFixedTree(t *testing.T) {
	r := newRepo(t)
	writeSeries(t, r, kubetest.KubeletWith(1), kubetest.KubeletWith(0))
	fixed := ensure(t, r, verdict.Fixed)
	if got := kubetest.Read(t, fixed.Dir, "pkg/kubelet/kubelet.go"); got != kubetest.KubeletWith(0) {
		t.Errorf("kubelet.go:\n%s", got)
	}
	if got := kubetest.Read(t, fixed.Dir, "test/crlf.txt"); got != kubetest.KubeFiles["test/crlf.txt"] {
		t.Errorf("line ends were changed: %q", got)
	}
	if n := kubetest.Git(t, fixed.Dir, "rev-list", "--count", "HEAD"); n != "3" {
		t.Errorf("%s commits, want stock and two patches", n)
	}
	if got := kubetest.Read(t, r.TreeDir(kubetest.Minor, verdict.Stock), "pkg/kubelet/kubelet.go"); got != kubetest.KubeletWith(2) {
		t.Errorf("the stock arm was changed:\n%s", got)
	}

	other := newRepo(t)
	if err := os.CopyFS(filepath.Join(other.Root, "patches"), os.DirFS(filepath.Join(r.Root, "patches"))); err != nil {
		t.Fatal(err)
	}
	if again := ensure(t, other, verdict.Fixed); again.Commit != fixed.Commit {
		t.Errorf("another checkout gives commit %s, the first %s", again.Commit, fixed.Commit)
	}
}

func TestSeriesChanges(t *testing.T) {
	r := newRepo(t)
	writeSeries(t, r, kubetest.KubeletWith(1))
	first := ensure(t, r, verdict.Fixed)
	writeSeries(t, r, kubetest.KubeletWith(0))
	second := ensure(t, r, verdict.Fixed)
	if first.Commit == second.Commit || kubetest.Read(t, second.Dir, "pkg/kubelet/kubelet.go") != kubetest.KubeletWith(0) {
		t.Errorf("the new series is not in the tree")
	}
	noLeftovers(t, r)
}

func TestPatchThatDoesNotApply(t *testing.T) {
	r := newRepo(t)
	writeSeries(t, r, kubetest.KubeletWith(1))
	before := ensure(t, r, verdict.Fixed)

	series := filepath.Join(r.SeriesDir(kubetest.Minor), "0001-kubelet-edit-1.patch")
	broken := strings.Replace(kubetest.Read(t, series), "const Grace = 2", "const Grace = 77", 1)
	if err := os.WriteFile(series, []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := r.Ensure(t.Context(), kubetest.Minor, verdict.Fixed, nil)
	var failed *patchset.ApplyError
	if !errors.As(err, &failed) {
		t.Fatalf("got %v, want an ApplyError", err)
	}
	kubetest.WantError(t, err, "0001-kubelet-edit-1.patch", "pkg/kubelet/kubelet.go")
	noLeftovers(t, r)
	if got := kubetest.Git(t, before.Dir, "rev-parse", "HEAD"); got != before.Commit {
		t.Errorf("the existing tree is now at %s", got)
	}
}

func TestEditsAreKept(t *testing.T) {
	r := newRepo(t)
	writeSeries(t, r, kubetest.KubeletWith(1))
	fixed := ensure(t, r, verdict.Fixed)
	edit := map[string]string{"pkg/kubelet/kubelet.go": kubetest.KubeletWith(0)}
	kubetest.WriteFiles(t, fixed.Dir, edit)

	refuses := func(says string) {
		t.Helper()
		_, err := r.Ensure(t.Context(), kubetest.Minor, verdict.Fixed, nil)
		var edited *EditedError
		if !errors.As(err, &edited) {
			t.Fatalf("got %v, want an EditedError", err)
		}
		kubetest.WantError(t, err, fixed.Dir, says, "kgrace tree --reset")
		if got := kubetest.Read(t, fixed.Dir, "pkg/kubelet/kubelet.go"); got != kubetest.KubeletWith(0) {
			t.Fatalf("the edit is gone")
		}
		noLeftovers(t, r)
	}
	refuses("pkg/kubelet/kubelet.go") // a changed file
	kubetest.Git(t, fixed.Dir, "commit", "--quiet", "--all", "--message", "kubelet: more")
	refuses("HEAD") // a commit
	writeSeries(t, r, kubetest.KubeletWith(5))
	refuses("HEAD") // and with other inputs

	// Once the edit is in the series, laying out again loses nothing.
	writeSeries(t, r, kubetest.KubeletWith(1), kubetest.KubeletWith(0))
	if tree := ensure(t, r, verdict.Fixed); kubetest.Read(t, tree.Dir, "pkg/kubelet/kubelet.go") != kubetest.KubeletWith(0) {
		t.Errorf("the extracted edit is not in the tree")
	}

	kubetest.WriteFiles(t, fixed.Dir, map[string]string{"pkg/new.go": "package pkg\n"})
	if _, err := r.Reset(t.Context(), kubetest.Minor, verdict.Fixed, nil); err != nil {
		t.Fatal(err)
	}
	if tree := ensure(t, r, verdict.Fixed); kubetest.Git(t, tree.Dir, "status", "--porcelain") != "" {
		t.Errorf("reset left the edit")
	}
}

func TestHalfTreeIsNotTrusted(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"no stamp":        func(dir string) error { return os.Remove(filepath.Join(dir, stampFile)) },
		"cut stamp":       func(dir string) error { return os.Truncate(filepath.Join(dir, stampFile), 10) },
		"no git":          func(dir string) error { return os.RemoveAll(filepath.Join(dir, ".git")) },
		"empty":           func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)) },
		"not a directory": func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o644)) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			tree := ensure(t, r, verdict.Stock)
			if err := errors.Join(os.RemoveAll(filepath.Join(tree.Dir, "pkg")), spoil(tree.Dir)); err != nil {
				t.Fatal(err)
			}
			again := ensure(t, r, verdict.Stock)
			if again.Commit != tree.Commit || kubetest.Read(t, again.Dir, "pkg/kubelet/kubelet.go") != kubetest.KubeletWith(2) {
				t.Errorf("the tree was not laid out again")
			}
			noLeftovers(t, r)
		})
	}
}

func TestInterrupted(t *testing.T) {
	for _, step := range []string{"get module", "copy files", "get staging", "commit", "commit: done", "clone", "apply", "apply 1 patches: done"} {
		t.Run(step, func(t *testing.T) {
			r := newRepo(t)
			arm := verdict.Stock
			if step == "clone" || strings.HasPrefix(step, "apply") {
				arm = verdict.Fixed
				writeSeries(t, r, kubetest.KubeletWith(1))
			}
			ctx, cancel := context.WithCancel(t.Context())
			_, err := r.Ensure(ctx, kubetest.Minor, arm, kubetest.CancelAt(step, cancel))
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v, want the context's error", err)
			}
			noLeftovers(t, r)
			if _, err := os.Stat(r.TreeDir(kubetest.Minor, arm)); !os.IsNotExist(err) {
				t.Errorf("there is a tree (%v)", err)
			}
			ensure(t, r, arm)
		})
	}
}

func TestLeftoversOfKilledRunAreRemoved(t *testing.T) {
	r := newRepo(t)
	kubetest.WriteFiles(t, r.treesDir(), map[string]string{tempPrefix + "123/tree/go.mod": "module half\n"})
	ensure(t, r, verdict.Stock)
	noLeftovers(t, r)
}

func TestModuleThatCannotBeHad(t *testing.T) {
	r := newRepo(t)
	_, err := r.Ensure(t.Context(), "v1.38", verdict.Stock, nil)
	var missing *tool.DownloadError
	if !errors.As(err, &missing) {
		t.Fatalf("got %v, want a DownloadError", err)
	}
	kubetest.WantError(t, err, "k8s.io/kubernetes@v1.38.7", "GOPROXY", "KUBE_SRC")
	noLeftovers(t, r)
}

func TestNoSpace(t *testing.T) {
	r := newRepo(t)
	r.FreeSpace = func(string) (uint64, error) { return 10 * mib, nil }
	_, err := r.Ensure(t.Context(), kubetest.Minor, verdict.Stock, nil)
	kubetest.WantError(t, err, "no space", r.treesDir(), "10 MiB free", OutputVar)
}

func TestDiskThatFillsUp(t *testing.T) {
	err := ExplainSpace(&tool.Error{Args: []string{"go"}, Stderr: "write x: no space left on device", Err: errors.New("exit status 1")})
	kubetest.WantError(t, err, "no space left on device", "make clean", OutputVar)
	if other := errors.New("other"); ExplainSpace(other) != other || ExplainSpace(nil) != nil {
		t.Errorf("explains unrelated errors")
	}
}

func TestUnknownNames(t *testing.T) {
	r := newRepo(t)
	_, err := r.Ensure(t.Context(), "v1.99", verdict.Stock, nil)
	kubetest.WantError(t, err, "v1.99", "v1.37", "v1.38")
	_, err = r.Ensure(t.Context(), kubetest.Minor, "mended", nil)
	kubetest.WantError(t, err, "mended", "stock", "fixed")
}

func TestRunsDoNotCollide(t *testing.T) {
	r := newRepo(t)
	writeSeries(t, r, kubetest.KubeletWith(0))
	if err := os.RemoveAll(r.Output); err != nil {
		t.Fatal(err)
	}
	results := make(chan error, 4)
	for range cap(results) {
		go func() {
			_, err := r.Ensure(context.Background(), kubetest.Minor, verdict.Fixed, nil)
			results <- err
		}()
	}
	for range cap(results) {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	noLeftovers(t, r)
}

func TestWaitForLockEndsWithContext(t *testing.T) {
	r := newRepo(t)
	unlock, err := r.lock(t.Context(), "trees", tool.Progress{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = r.Ensure(ctx, kubetest.Minor, verdict.Stock, kubetest.CancelAt("waiting for another kgrace", cancel))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	unlock()
	ensure(t, r, verdict.Stock)
}
