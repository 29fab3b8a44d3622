// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	u := newUpstream(t)
	u.edit("pkg/kubelet/kubelet.go", "// line 2\n", "diff --git a/no b/no\n@@ -1 +1 @@\n")
	u.edit("pkg/kubelet/kubelet.go", "// line 40\n", "")
	u.git("rm", "--quiet", "pkg/kubelet/worker.go")
	u.write("pkg/kubelet/new.go", "package kubelet\n")
	u.commit("kubelet: a subject so long that the mail header has to fold it over two lines, naïve\n\nBody – with a dash.\n\n-- not the end\n" + trailers)
	dir := t.TempDir()
	if _, err := Extract(t.Context(), u.dir, u.base, dir); err != nil {
		t.Fatal(err)
	}
	p := load(t, dir).Patches[0]
	if want := "kubelet: a subject so long that the mail header has to fold it over two lines, naïve"; p.Subject != want {
		t.Errorf("subject %q", p.Subject)
	}
	if !strings.HasPrefix(p.Body, "Body – with a dash.\n\n-- not the end\n\nUpstream-Status: Pending") {
		t.Errorf("body %q", p.Body)
	}
	if p.Author != "A Person <person@example.org>" {
		t.Errorf("author %q", p.Author)
	}
	var files []File
	for _, f := range p.Files {
		files = append(files, File{Path: f.Path, New: f.New, Deleted: f.Deleted})
	}
	want := []File{{Path: "pkg/kubelet/kubelet.go"}, {Path: "pkg/kubelet/new.go", New: true}, {Path: "pkg/kubelet/worker.go", Deleted: true}}
	if d := cmp.Diff(want, files); d != "" {
		t.Error(d)
	}
	if n := len(p.Files[0].Hunks); n != 2 {
		t.Errorf("%d hunks, want 2", n)
	}
	got, err := p.Trailers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 6 || got[2] != (Trailer{"Contract", "R1, R3"}) {
		t.Errorf("trailers %v", got)
	}
}

func TestLoadRefuses(t *testing.T) {
	const from = "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\nDate: x\nSubject: [PATCH] kubelet: x\n\n"
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no series file":  {map[string]string{}, "no such file"},
		"an empty series": {map[string]string{"series": "# nothing\n"}, "lists no patch"},
		"a missing patch": {map[string]string{"series": "0001-a.patch\n"}, "no such file in"},
		"a path":          {map[string]string{"series": "../0001-a.patch\n"}, "series:1"},
		"not a mail":      {map[string]string{"series": "0001-a.patch\n", "0001-a.patch": "diff --git a/x b/x\n"}, "From <commit>"},
		"no change":       {map[string]string{"series": "0001-a.patch\n", "0001-a.patch": from + "body\n---\n"}, "no diff"},
		"a rename":        {map[string]string{"series": "0001-a.patch\n", "0001-a.patch": from + "---\ndiff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n"}, "rename"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tc.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
