// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package release

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/kgrace/kgrace/internal/kubebuild"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/sbom"
	"github.com/kgrace/kgrace/internal/tool"
)

const patch = `From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
From: A Person <person@example.org>
Date: Fri, 2 Jan 2026 03:04:05 +0000
Subject: [PATCH] kubelet: %s

The body says why.
%s
diff --git a/%s b/%[3]s
new file mode 100644
index 0000000..257cc56
--- /dev/null
+++ b/%[3]s
@@ -0,0 +1 @@
+foo
`

// series writes a series of two patches.
func series(t *testing.T, body string) *patchset.Series {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"series": "0001-a.patch\n0002-b.patch\n", "0001-a.patch": fmt.Sprintf(patch, "one", "", "a"),
		"0002-b.patch": fmt.Sprintf(patch, "two", body, "b")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := patchset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// compile builds a program of the module k8s.io/kubernetes that does nothing.
func compile(t *testing.T, arch string, env ...string) kubebuild.Binary {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module k8s.io/kubernetes\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	to := filepath.Join(dir, "kubelet")
	if _, err := tool.Go(t.Context(), dir, runtime.Version(), append([]string{"GOARCH=" + arch}, env...), "build", "-ldflags=-s -w -buildid=", "-o", to, "."); err != nil {
		t.Fatal(err)
	}
	return kubebuild.Binary{Program: "kubelet", Version: "v1.37.2+grace.3", Arch: arch, Path: to,
		Recipe: &kubebuild.Recipe{Commit: strings.Repeat("c", 40), Package: "./cmd/kubelet", Toolchain: runtime.Version(), Env: []string{"CGO_ENABLED=0"}, Flags: []string{"-trimpath"}}}
}

// sample returns a release, its programs compiled anew in a directory of their own.
func sample(t *testing.T, kubernetes string) *content {
	t.Helper()
	c := &content{Minor: "v1.37", Kubernetes: kubernetes, Version: kubernetes + "+grace.3", series: series(t, ""), tool: "c0ffee",
		date: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), sum: "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="}
	for _, arch := range kubebuild.Arches {
		if err := c.add(compile(t, arch)); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// read returns the files of a directory.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(data)
	}
	return all
}

// TestWrite: two releases of the same inputs, written in two directories, are the same, and sha256sum agrees with SHA256SUMS. An
// earlier release is replaced, another directory is not.
func TestWrite(t *testing.T) {
	var all []map[string]string
	for range 2 {
		dir := filepath.Join(t.TempDir(), "v1.37")
		files, err := sample(t, "v1.37.2").write(dir)
		if err != nil {
			t.Fatal(err)
		}
		got := read(t, dir)
		if len(files) != 7 || len(got) != 8 {
			t.Errorf("%v, %d files", files, len(got))
		}
		if out, err := tool.Run(t.Context(), tool.Cmd{Dir: dir, Env: os.Environ(), Args: []string{"sha256sum", "--check", "--strict", sumsFile}}); err != nil || strings.Count(out, ": OK") != 7 {
			t.Errorf("%s, %v", out, err)
		}
		all = append(all, got)
		if err := os.WriteFile(filepath.Join(dir, "of-an-earlier-release"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := sample(t, "v1.37.2").write(dir); err != nil {
			t.Fatal(err)
		}
		if again := read(t, dir); len(again) != 8 {
			t.Errorf("after a second release: %d files", len(again))
		}
		if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
			t.Errorf("%v is left, %v", left, err)
		}
	}
	for name, text := range all[0] {
		if all[1][name] != text {
			t.Errorf("%s differs between two releases of the same inputs", name)
		}
	}
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "letters"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := sample(t, "v1.37.2").write(home); err == nil || !strings.Contains(err.Error(), "not a release") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(home, "letters")); err != nil {
		t.Error(err)
	}
}

// TestSeriesIsOneMbox: git am takes the file, and makes a commit of each patch.
func TestSeriesIsOneMbox(t *testing.T) {
	s := series(t, "")
	data, err := mbox(s)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	git := func(args ...string) string {
		out, err := tool.Git(t.Context(), dir, []string{"GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@example.org", "GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@example.org"}, args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	git("init", "--quiet")
	git("commit", "--quiet", "--allow-empty", "--message=base")
	file := filepath.Join(t.TempDir(), seriesFile)
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	git("am", "--quiet", file)
	if log := git("log", "--reverse", "--format=%s", "--name-only"); log != "base\nkubelet: one\n\na\nkubelet: two\n\nb\n" {
		t.Errorf("%q", log)
	}
	if _, err := mbox(series(t, "From here on it is another patch.\n")); err == nil || !strings.Contains(err.Error(), "0002-b.patch:7") {
		t.Errorf("%v", err)
	}
}

// TestProvenance reads the statement as others do.
func TestProvenance(t *testing.T) {
	c := sample(t, "v1.37.2")
	data, err := c.provenance([]byte("mbox"), []byte("spdx"))
	if err != nil {
		t.Fatal(err)
	}
	var s intoto.Statement
	if err := protojson.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	for i, arch := range kubebuild.Arches {
		if got := s.Subject[i]; got.Name != "kubelet-linux-"+arch || got.Digest["sha256"] != c.kubelets[i].program.SHA256 {
			t.Errorf("%v", got)
		}
	}
	var p struct {
		Predicate struct {
			BuildDefinition struct {
				ResolvedDependencies []struct {
					Name, URI   string
					Digest      map[string]string
					Annotations struct{ Hash string }
				}
				InternalParameters struct {
					Builds map[string]struct{ Env, Flags []string }
				}
			}
			RunDetails struct{ Metadata any }
		}
	}
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	d := p.Predicate.BuildDefinition.ResolvedDependencies
	if len(d) != 4 || d[0].URI != "pkg:golang/k8s.io/kubernetes@v1.37.2" || d[0].Digest["dirHash"] != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" ||
		d[1].Digest["sha256"] != hashOf([]byte("mbox")) || d[1].Annotations.Hash != c.series.Hash() || d[2].Digest["gitCommit"] != strings.Repeat("c", 40) || d[3].Name != runtime.Version() {
		t.Errorf("%+v", d)
	}
	if b := p.Predicate.BuildDefinition.InternalParameters.Builds["arm64"]; len(b.Env) != 1 || b.Flags[0] != "-trimpath" || p.Predicate.RunDetails.Metadata != nil {
		t.Errorf("%+v", p)
	}
	if bytes.Contains(data, []byte(c.kubelets[0].Path)) {
		t.Error("it names a directory of this machine")
	}
}

// TestSPDX: both kubelets, the patched tag, and what scanners match.
func TestSPDX(t *testing.T) {
	data, err := sample(t, "v1.37.2").spdx([]byte("mbox"))
	if err != nil {
		t.Fatal(err)
	}
	var d sbom.Document
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, p := range d.Packages {
		ids[p.ID] = p.Name
	}
	patched := false
	for _, r := range d.Relationships {
		if r.Type == "PATCH_APPLIED" {
			patched = ids[r.From] == seriesFile && ids[r.To] == "k8s.io/kubernetes"
		}
	}
	if !patched {
		t.Error("the series is not applied to anything")
	}
	for _, want := range []string{"kubelet-linux-amd64", "kubelet-linux-arm64", "pkg:golang/k8s.io/kubernetes@v1.37.2\"", sbom.Ours, "Tool: kgrace-c0ffee", "v1.37.2+grace.3"} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("no %q", want)
		}
	}
}

// TestInstall: the text is of its minor, and a pre-release or an old Kubernetes comes with a warning.
func TestInstall(t *testing.T) {
	for tag, want := range map[string]string{"v1.37.2": "", "v1.38.0-beta.0": "test clusters only", "v1.22.17": "CRI v1alpha2"} {
		text, err := sample(t, tag).install()
		if err != nil {
			t.Fatal(err)
		}
		for _, warning := range []string{"test clusters only", "CRI v1alpha2"} {
			if got := strings.Contains(string(text), warning); got != (warning == want) {
				t.Errorf("%s: warns of %q: %v", tag, warning, got)
			}
		}
		if !strings.Contains(string(text), "kubeletVersion}'="+tag+"+grace.3") || strings.Contains(string(text), "<no value>") {
			t.Errorf("%s", text)
		}
	}
}

// TestOnlyStatic: a kubelet that needs a loader, or is for another architecture, is refused.
func TestOnlyStatic(t *testing.T) {
	var c content
	b := compile(t, "arm64")
	b.Arch = "amd64"
	if err := c.add(b); err == nil || !strings.Contains(err.Error(), "EM_AARCH64") {
		t.Errorf("%v", err)
	}
	shared, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if sh, err := filepath.EvalSymlinks("/bin/sh"); err == nil {
		shared = sh
	}
	if err := checkStatic(shared, runtime.GOARCH); err == nil || !strings.Contains(err.Error(), "want a static program") {
		t.Errorf("%s: %v", shared, err)
	}
}
