// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestApplyGivesTheSameCommitsEverywhere(t *testing.T) {
	u := newUpstream(t)
	s := u.series()
	if err := s.Apply(t.Context(), u.dir); err != nil {
		t.Fatal(err)
	}
	first := u.git("rev-parse", "HEAD")
	for _, want := range []string{"kgrace", "A Person", "1767319445"} {
		if got := u.git("log", "-1", "--format=%cn %an %at %ct"); !strings.Contains(got, want) {
			t.Errorf("commit is %q, want it to have %q", got, want)
		}
	}
	if got := u.git("log", "-1", "--format=%at"); got != u.git("log", "-1", "--format=%ct") {
		t.Error("the committer's date is not the author's")
	}
	u.git("reset", "--quiet", "--hard", u.base)
	// A user's settings must not matter.
	t.Setenv("GIT_COMMITTER_NAME", "Somebody Else")
	t.Setenv("GIT_DIR", "/nonexistent")
	u.git("config", "commit.gpgSign", "true")
	u.git("config", "am.threeWay", "true")
	write(t, filepath.Join(u.dir, ".git/hooks/applypatch-msg"), "#!/bin/sh\nexit 1\n")
	if err := s.Apply(t.Context(), u.dir); err != nil {
		t.Fatal(err)
	}
	if second := u.git("rev-parse", "HEAD"); second != first {
		t.Errorf("second time %s, first time %s", second, first)
	}
}

func TestApplyNamesPatchFileHunkAndResets(t *testing.T) {
	u := newUpstream(t)
	s := u.series()
	u.edit("pkg/kubelet/worker.go", "// worker 6\n", "// worker six\n")
	moved := u.commit("upstream moved")

	err := s.Apply(t.Context(), u.dir)
	var failed *ApplyError
	if !errors.As(err, &failed) {
		t.Fatalf("got %v, want an *ApplyError", err)
	}
	if failed.Patch != "0002-kuberuntime-return-when-the-context-ends.patch" || failed.Index != 2 || failed.Total != 2 ||
		failed.File != "pkg/kubelet/worker.go" || failed.Line == 0 || !strings.HasPrefix(failed.Hunk, "@@ -") {
		t.Errorf("got %+v", failed)
	}
	for _, want := range []string{failed.Patch, failed.File, failed.Hunk, "kgrace patch extract", "back where it was"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("message has no %q:\n%v", want, err)
		}
	}
	u.expectAt(moved)
}

func TestApplyNamesAFileThatIsMissing(t *testing.T) {
	u := newUpstream(t)
	s := u.series()
	u.git("rm", "--quiet", "pkg/kubelet/kubelet.go")
	gone := u.commit("upstream removed it")
	err := s.Apply(t.Context(), u.dir)
	var failed *ApplyError
	if !errors.As(err, &failed) || failed.File != "pkg/kubelet/kubelet.go" || failed.Index != 1 {
		t.Fatalf("got %v", err)
	}
	u.expectAt(gone)
}

func TestApplyResetsWhenInterrupted(t *testing.T) {
	u := newUpstream(t)
	s := u.series()
	ctx, cancel := context.WithCancel(t.Context())
	// The context ends between two patches.
	good := s.Patches[0]
	if err := s.applyOne(ctx, u.dir, good); err != nil {
		t.Fatal(err)
	}
	u.git("reset", "--quiet", "--hard", u.base)
	cancel()
	if err := s.Apply(ctx, u.dir); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	u.expectAt(u.base)
}

func TestApplyRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil func(u *upstream)
		want  string
	}{
		"a change that is not committed": {func(u *upstream) { u.edit("pkg/kubelet/kubelet.go", "line 1\n", "line one\n") }, "not committed"},
		"an untracked file":              {func(u *upstream) { u.write("stray.go", "package stray\n") }, "stray.go"},
		"a git am under way":             {func(u *upstream) { u.write(".git/rebase-apply/next", "1\n") }, "under way"},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUpstream(t)
			s := u.series()
			tc.spoil(u)
			err := s.Apply(t.Context(), u.dir)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
			if at := u.git("rev-parse", "HEAD"); at != u.base {
				t.Errorf("the tree moved to %s", at)
			}
		})
	}
	t.Run("a directory inside another tree", func(t *testing.T) {
		u := newUpstream(t)
		s := u.series()
		if err := s.Apply(t.Context(), filepath.Join(u.dir, "pkg")); err == nil || !strings.Contains(err.Error(), "inside another git work tree") {
			t.Fatalf("got %v", err)
		}
	})
	t.Run("ignored files do not count", func(t *testing.T) {
		u := newUpstream(t)
		s := u.series()
		u.write("_output/kubelet", "binary")
		if err := s.Apply(t.Context(), u.dir); err != nil {
			t.Fatal(err)
		}
	})
}

// expectAt asserts that the tree is at commit, clean, with no git am under way.
func (u *upstream) expectAt(commit string) {
	u.t.Helper()
	if at := u.git("rev-parse", "HEAD"); at != commit {
		u.t.Errorf("the tree stands on %s, want %s", at, commit)
	}
	if err := checkClean(u.t.Context(), u.dir); err != nil {
		u.t.Error(err)
	}
}
