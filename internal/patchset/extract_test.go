// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// roundTrip applies the series in tree and extracts it again: the bytes must be the same.
func roundTrip(ctx context.Context, s *Series, tree string) (err error) {
	base, err := head(ctx, tree)
	if err != nil {
		return err
	}
	if err := s.Apply(ctx, tree); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reset(context.WithoutCancel(ctx), tree, base)) }()
	return s.MatchesTree(ctx, tree, base)
}

func TestRoundTrip(t *testing.T) {
	u := newUpstream(t)
	s := u.series()
	if err := roundTrip(t.Context(), s, u.dir); err != nil {
		t.Fatal(err)
	}
	u.expectAt(u.base)

	// git am strips a trailing blank from the message: the patch applies, but extracts differently.
	name := filepath.Join(s.Dir, s.Patches[0].Name)
	write(t, name, strings.Replace(read(t, name), "The body says why.", "The body says why. ", 1))
	err := roundTrip(t.Context(), load(t, s.Dir), u.dir)
	if err == nil || !strings.Contains(err.Error(), s.Patches[0].Name) || !strings.Contains(err.Error(), "kgrace patch extract") {
		t.Fatalf("got %v, want a difference in %s", err, s.Patches[0].Name)
	}
	u.expectAt(u.base)
}

func TestRoundTripSeesAWrongName(t *testing.T) {
	u := newUpstream(t)
	s := u.series()
	s.Patches[0].Name = "0001-kubelet-something-else.patch"
	if err := roundTrip(t.Context(), s, u.dir); err == nil || !strings.Contains(err.Error(), "something-else") {
		t.Fatalf("got %v", err)
	}
}

func TestStableBytes(t *testing.T) {
	u := newUpstream(t)
	s := u.series()
	for _, p := range s.Patches {
		text := string(p.Data)
		if !strings.HasPrefix(text, "From 0000000000000000000000000000000000000000 Mon Sep 17") {
			t.Errorf("%s has a commit id", p.Name)
		}
		if !strings.Contains(text, "Subject: [PATCH] ") || strings.Contains(text, "\n-- \n") || strings.Contains(text, " files changed") || strings.Contains(text, " | ") {
			t.Errorf("%s is not in the fixed form:\n%s", p.Name, text)
		}
	}
	hash := s.Hash()
	if again := load(t, s.Dir).Hash(); again != hash {
		t.Errorf("hash %s, then %s", hash, again)
	}
	write(t, filepath.Join(s.Dir, SeriesFile), "# a comment\n\n"+read(t, filepath.Join(s.Dir, SeriesFile)))
	if again := load(t, s.Dir).Hash(); again != hash {
		t.Error("a comment in the series file changed the hash")
	}
	s.Patches[0], s.Patches[1] = s.Patches[1], s.Patches[0]
	if s.Hash() == hash {
		t.Error("another order, the same hash")
	}
}

func TestExtractTouchesOnlyWhatChanged(t *testing.T) {
	u := newUpstream(t)
	s := u.series()
	write(t, filepath.Join(s.Dir, SeriesFile), "# Kubernetes v1.99\n"+read(t, filepath.Join(s.Dir, SeriesFile)))
	if err := s.Apply(t.Context(), u.dir); err != nil {
		t.Fatal(err)
	}
	u.git("-c", "user.name=B", "-c", "user.email=b@example.org", "commit", "--quiet", "--amend", "--message=kuberuntime: end with the context\n"+trailers)
	got, err := Extract(t.Context(), u.dir, u.base, s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Kept) != 1 || got.Kept[0] != s.Patches[0].Name || len(got.Written) != 2 ||
		got.Written[0] != "0002-kuberuntime-end-with-the-context.patch" || len(got.Removed) != 1 || got.Removed[0] != s.Patches[1].Name {
		t.Errorf("got %+v", got)
	}
	if text := read(t, filepath.Join(s.Dir, SeriesFile)); text != "# Kubernetes v1.99\n0001-kubelet-count-from-the-start-of-termination.patch\n0002-kuberuntime-end-with-the-context.patch\n" {
		t.Errorf("series is\n%s", text)
	}
}

func TestExtractRefuses(t *testing.T) {
	dir := t.TempDir()
	u := newUpstream(t)
	expect := func(what, base, want string) {
		t.Helper()
		_, err := Extract(t.Context(), u.dir, base, dir)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", what, err, want)
		}
	}
	expect("no commit", u.base, "nothing to extract")
	u.git("checkout", "--quiet", "-b", "side")
	u.write("a.go", "package a\n")
	side := u.commit("kubelet: a")
	u.git("checkout", "--quiet", "main")
	expect("another history", side, "does not descend from")
	u.write("b.go", "package b\n")
	u.commit("kubelet: b")
	u.git("-c", "user.name=A", "-c", "user.email=a@example.org", "merge", "--quiet", "--no-edit", "side")
	expect("a merge", u.base, "a series is linear")
	u.write("c.go", "package c\n")
	expect("uncommitted", u.base, "not committed")
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("a refused extraction wrote %d files", len(entries))
	}
}

func TestSlug(t *testing.T) {
	for subject, want := range map[string]string{
		"kubelet: carry zero":               "kubelet-carry-zero",
		"test/e2e_node: force a hook (sic)": "test-e2e_node-force-a-hook-sic",
		"kubelet: the worker's context":     "kubelet-the-workers-context",
		"kubelet: from 0 → 1.":              "kubelet-from-0-1",
		"kubelet: a subject that is much longer than what a file name ought to carry": "kubelet-a-subject-that-is-much-longer-than-what-a-file-name",
	} {
		if got := Slug(subject); got != want {
			t.Errorf("Slug(%q) = %q, want %q", subject, got, want)
		}
	}
}
