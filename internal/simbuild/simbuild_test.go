// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simbuild

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/kgrace/kgrace/internal/versions"
)

const ours = `module example.com/ours

go 1.26.0

require (
	example.com/both v1.2.0
	example.com/newer v1.9.0
	k8s.io/api v0.37.2
	k8s.io/kubernetes v1.37.2
	k8s.io/streaming v0.37.2 // indirect
)

replace (
	k8s.io/api => k8s.io/api v0.37.2
	k8s.io/streaming => k8s.io/streaming v0.37.2
)
`

const theirs = `module k8s.io/kubernetes

go 1.27.1

godebug default=go1.27

require (
	example.com/both v1.3.0
	example.com/newer v1.2.0
	example.com/theirs v1.0.0
	k8s.io/api v0.38.0
	k8s.io/kubelet v0.38.0
)

replace example.com/theirs => example.com/fork v1.0.1
`

func TestModule(t *testing.T) {
	data, err := module([]byte(ours), []byte(theirs), "v1.38", "/trees/fixed", "v0.38.0")
	if err != nil {
		t.Fatal(err)
	}
	f, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	required, replaced := map[string]string{}, map[string]string{}
	for _, r := range f.Require {
		if _, twice := required[r.Mod.Path]; twice {
			t.Errorf("%s is required twice", r.Mod.Path)
		}
		required[r.Mod.Path] = r.Mod.Version
	}
	for _, r := range f.Replace {
		replaced[r.Old.Path] = r.New.Path + "@" + r.New.Version
	}
	for path, want := range map[string]string{
		"example.com/both": "v1.3.0", "example.com/newer": "v1.9.0", "example.com/theirs": "v1.0.0",
		"k8s.io/api": "v0.38.0", "k8s.io/kubelet": "v0.38.0",
		"k8s.io/streaming": "", // the tree's minor has no such staging module
	} {
		if required[path] != want {
			t.Errorf("%s is required at %q, want %q", path, required[path], want)
		}
	}
	for path, want := range map[string]string{
		"k8s.io/kubernetes": "/trees/fixed@", "k8s.io/api": "k8s.io/api@v0.38.0", "k8s.io/kubelet": "k8s.io/kubelet@v0.38.0",
		"example.com/theirs": "example.com/fork@v1.0.1", "k8s.io/streaming": "",
	} {
		if replaced[path] != want {
			t.Errorf("%s is replaced by %q, want %q", path, replaced[path], want)
		}
	}
	if f.Go.Version != "1.27.1" || len(f.Godebug) != 1 {
		t.Errorf("go %s, godebug %v: the tree's must apply if they are newer", f.Go.Version, f.Godebug)
	}
}

func TestModuleFollowsStubs(t *testing.T) {
	local := strings.Replace(theirs, "example.com/fork v1.0.1", "./staging/theirs", 1) + "\nreplace k8s.io/kubelet => ./staging/kubelet\n"
	data, err := module([]byte(ours), []byte(local), "v1.38", "/trees/fixed", "v0.38.0")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"example.com/theirs => /trees/fixed/staging/theirs\n", "k8s.io/kubelet => /trees/fixed/staging/kubelet\n"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %q in\n%s", want, data)
		}
	}
}

func TestModuleTakesTheTreesOwn(t *testing.T) {
	asInTree["v1.99"] = []string{"example.com/newer"}
	defer delete(asInTree, "v1.99")
	data, err := module([]byte(ours), []byte(theirs), "v1.99", "/trees/fixed", "v0.38.0")
	if want := "example.com/newer => example.com/newer v1.2.0\n"; err != nil || !strings.Contains(string(data), want) {
		t.Errorf("%v: no %q in\n%s", err, want, data)
	}
}

func TestModuleRefuses(t *testing.T) {
	without := strings.Replace(ours, "\tk8s.io/kubernetes v1.37.2\n", "", 1)
	if _, err := module([]byte(without), []byte(theirs), "v1.38", "/t", "v0.38.0"); err == nil {
		t.Error("a module that does not require Kubernetes was accepted")
	}
}

func TestRaised(t *testing.T) {
	before := "module m\n\nrequire (\n\ta v1.0.0\n\tb v1.0.0\n\tc v1.0.0\n)\n\nreplace c => c v1.0.0\n"
	after := strings.Replace(strings.Replace(before, "b v1.0.0", "b v1.1.0", 1), "\tc v1.0.0", "\tc v1.2.0", 1)
	if got, err := raised([]byte(before), []byte(after)); err != nil || len(got) != 1 || got[0] != "b@v1.1.0" {
		t.Errorf("got %v, %v: c is replaced, so its version changes nothing", got, err)
	}
}

func TestSums(t *testing.T) {
	if got := string(sums([]byte("b v1 h1:b\na v1 h1:a\n"), []byte("a v1 h1:a\nc v1 h1:c\n"))); got != "a v1 h1:a\nb v1 h1:b\nc v1 h1:c\n" {
		t.Errorf("got %q", got)
	}
}

func TestOverlay(t *testing.T) {
	root, tree := t.TempDir(), t.TempDir()
	seam := filepath.Join(seamDir(root, "v1.99"), "pkg", "kubelet")
	out := filepath.Join(root, "overlay.json")
	write := func(path string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeOverlay(out, root, "v1.99", tree); err == nil {
		t.Error("a minor without a seam was accepted")
	}
	write(filepath.Join(seam, "kgrace_seam.go.seam"))
	if err := writeOverlay(out, root, "v1.98", tree); err == nil || !strings.Contains(err.Error(), "there is one for v1.99") {
		t.Errorf("a minor without a seam beside one with: %v", err)
	}
	if err := writeOverlay(out, root, "v1.99", tree); err == nil || !strings.Contains(err.Error(), "no such package") {
		t.Errorf("a seam beside the tree: %v", err)
	}
	write(filepath.Join(tree, "pkg", "kubelet", "kubelet.go"))
	if err := writeOverlay(out, root, "v1.99", tree); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil || !strings.Contains(string(data), filepath.Join(tree, "pkg", "kubelet", "kgrace_seam.go")) {
		t.Errorf("%v\n%s", err, data)
	}
	// A common file is used unless the minor has one of its own.
	shared := filepath.Join(seamDir(root, common), "pkg", "kubelet")
	write(filepath.Join(shared, "kgrace_shared.go.seam"))
	write(filepath.Join(shared, "kgrace_seam.go.seam"))
	if err := writeOverlay(out, root, "v1.99", tree); err != nil {
		t.Fatal(err)
	}
	data, err = os.ReadFile(out)
	if err != nil || !strings.Contains(string(data), filepath.Join(shared, "kgrace_shared.go.seam")) ||
		strings.Contains(string(data), filepath.Join(shared, "kgrace_seam.go.seam")) {
		t.Errorf("%v\n%s", err, data)
	}
	// Files for package simkubelet go there.
	own := filepath.Join(seamDir(root, "v1.99"), "ours", "old.go.seam")
	write(own)
	if err := writeOverlay(out, root, "v1.99", tree); err != nil {
		t.Fatal(err)
	}
	data, err = os.ReadFile(out)
	if want := fmt.Sprintf("%q: %q", filepath.Join(root, "internal", "simkubelet", "old.go"), own); err != nil || !strings.Contains(string(data), want) {
		t.Errorf("%v\n%s\nwant %s", err, data, want)
	}
	if known, err := Minors(root); err != nil || len(known) != 1 || known[0] != "v1.99" {
		t.Errorf("minors %v, %v", known, err)
	}
	write(filepath.Join(seam, "notes.txt"))
	if err := writeOverlay(out, root, "v1.99", tree); err == nil || !strings.Contains(err.Error(), "notes.txt") {
		t.Errorf("a file that is not a seam file: %v", err)
	}
}

func TestKeyFollowsTheSources(t *testing.T) {
	root := t.TempDir()
	for _, dir := range sources {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("go.mod", "module m\n")
	put("go.sum", "")
	put("internal/a.go", "package a\n")
	o := Options{Root: root, Tree: "t", Commit: "one"}
	key := func() string {
		t.Helper()
		k, err := o.key()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	first := key()
	if key() != first {
		t.Error("the key of the same inputs differs")
	}
	put("internal/a.go", "package a // changed\n")
	second := key()
	o.Commit = "two"
	if third := key(); second == first || third == second {
		t.Error("a changed source or tree has the same key")
	}
	o.Commit = ""
	if _, ok := o.kept(); ok {
		t.Error("the suite of a tree without a commit was kept")
	}
}

// Every minor that has a series has a seam with files.
func TestEveryMinorHasASeam(t *testing.T) {
	const root = "../.."
	pins, err := versions.LoadRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	known, err := Minors(root)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.SortedFunc(maps.Keys(pins.Minors), semver.Compare)
	if !slices.Equal(known, want) {
		t.Errorf("there are seams for %v, and minors %v", known, want)
	}
	for _, minor := range known {
		files := map[string]string{}
		for _, dir := range []string{common, minor} {
			if err := addSeam(files, seamDir(root, dir), "tree", root); err != nil {
				t.Fatal(err)
			}
		}
		for _, file := range []string{"pkg/kubelet/kgrace_new.go", "pkg/kubelet/kgrace_seam.go", "pkg/kubelet/config/kgrace_minor.go", "pkg/kubelet/kuberuntime/kgrace_hooks.go"} {
			if files[filepath.Join("tree", file)] == "" {
				t.Errorf("%s: no %s", minor, file)
			}
		}
	}
}

func TestTags(t *testing.T) {
	for minor, want := range map[string]string{"v1.37": "kgrace_sim", "v1.22": "kgrace_sim,kgrace_v122"} {
		if got := Tags(minor); got != want {
			t.Errorf("%s: %s, want %s", minor, got, want)
		}
	}
}
