// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubebuild

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/kubetree/kubetest"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

func build(t *testing.T, r *Builder, arms []verdict.Arm, programs ...string) []Binary {
	t.Helper()
	built, err := r.BuildAll(t.Context(), kubetest.Minor, arms, programs)
	if err != nil {
		t.Fatal(err)
	}
	return built
}

func says(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), path).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", path, err, out)
	}
	return string(out)
}

func TestBuildKubelets(t *testing.T) {
	r := newRepo(t)
	writeSeries(t, r, kubetest.KubeletWith(0))
	first := build(t, r, verdict.Arms(), "kubelet")
	for i, want := range []struct {
		arm     verdict.Arm
		version string
		grace   int
	}{{verdict.Stock, "v1.37.2", 2}, {verdict.Fixed, "v1.37.2+grace.1", 0}} {
		b := first[i]
		tree := ensure(t, r, want.arm)
		date := kubetest.Git(t, tree.Dir, "show", "--no-patch", "--format=%cd", "--date=format-local:%Y-%m-%dT%H:%M:%SZ")
		line := fmt.Sprintf("%s 1 37 %s clean %s", want.version, tree.Commit, date)
		if got := says(t, b.Path); got != fmt.Sprintf("%s\n%s %d\n", line, line, want.grace) {
			t.Errorf("%s prints:\n%swant %q with grace %d", b.Path, got, line, want.grace)
		}
		if b.Arm != want.arm || b.Version != want.version || !b.Built {
			t.Errorf("reported as %+v", b)
		}
	}

	for _, b := range build(t, r, verdict.Arms(), "kubelet") {
		if b.Built {
			t.Errorf("%s was up to date and built again", b.Path)
		}
	}

	writeSeries(t, r, kubetest.KubeletWith(7))
	after := build(t, r, verdict.Arms(), "kubelet")
	if after[0].Built || !after[1].Built {
		t.Errorf("after a change of the series: stock built %v, fixed built %v", after[0].Built, after[1].Built)
	}
	if got := says(t, after[1].Path); !strings.HasSuffix(got, " 7\n") {
		t.Errorf("the fixed kubelet is not of the new series: %s", got)
	}
}

// A kubelet with an overlaid file is a separate binary; the tree and the arm's own kubelet stay as they are.
func TestBuildOverlaid(t *testing.T) {
	r := newRepo(t)
	writeSeries(t, r, kubetest.KubeletWith(0))
	own := build(t, r, []verdict.Arm{verdict.Fixed}, "kubelet")[0]
	tree := ensure(t, r, verdict.Fixed)
	dir := t.TempDir()
	overlay, by, broken := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "kubelet.go"), filepath.Join(dir, "kubelet")
	lay := func(grace int) {
		t.Helper()
		replace := fmt.Sprintf(`{"Replace":{%q:%q}}`, filepath.Join(tree.Dir, "pkg/kubelet/kubelet.go"), by)
		if err := errors.Join(os.WriteFile(by, []byte(kubetest.KubeletWith(grace)), 0o644), os.WriteFile(overlay, []byte(replace), 0o644)); err != nil {
			t.Fatal(err)
		}
		if err := r.BuildOverlaid(t.Context(), kubetest.Minor, verdict.Fixed, "kubelet", overlay, broken); err != nil {
			t.Fatal(err)
		}
	}
	for _, grace := range []int{7, 8} { // the same overlay with other content gives another binary
		lay(grace)
		if got := says(t, broken); !strings.HasSuffix(got, fmt.Sprintf(" %d\n", grace)) {
			t.Errorf("the kubelet was not built with the overlay: %s", got)
		}
	}
	if got := says(t, own.Path); !strings.HasSuffix(got, " 0\n") {
		t.Errorf("the arm's own kubelet was touched: %s", got)
	}
	if build(t, r, []verdict.Arm{verdict.Fixed}, "kubelet")[0].Built {
		t.Error("the arm's own kubelet was built again")
	}
	if err := r.BuildOverlaid(t.Context(), kubetest.Minor, verdict.Fixed, "kube-apiserver", overlay, broken); err == nil || !strings.Contains(err.Error(), "the same for both arms") {
		t.Errorf("got %v", err)
	}
	if err := r.BuildOverlaid(t.Context(), kubetest.Minor, verdict.Fixed, "kubelet", filepath.Join(dir, "none"), broken); err == nil || !strings.Contains(err.Error(), "overlay ") {
		t.Errorf("got %v", err)
	}
}

func TestBuildsAreReproducible(t *testing.T) {
	var first string
	for range 2 {
		r := newRepo(t)
		writeSeries(t, r, kubetest.KubeletWith(0))
		path, err := r.Build(t.Context(), kubetest.Minor, verdict.Fixed, "kubelet")
		if err != nil {
			t.Fatal(err)
		}
		if bytes := kubetest.Read(t, path); first == "" {
			first = bytes
		} else if bytes != first {
			t.Error("two builds of the same inputs differ")
		}
		if strings.Contains(first, r.Root) {
			t.Error("the binary names the directory it was built in")
		}
	}
}

func TestProgramsForSomethingElseAreNotANodes(t *testing.T) {
	r := newRepo(t)
	p := r.Versions.Programs["prog"]
	p.For = "bench"
	r.Versions.Programs["prog"] = p
	all, err := r.Programs()
	if err != nil || !slices.Contains(all, "prog") {
		t.Errorf("%v, %v: it can still be built by its name", all, err)
	}
	if node, err := r.nodePrograms(); err != nil || slices.Contains(node, "prog") || slices.Contains(node, "kubeadm") || !slices.Contains(node, "native") {
		t.Errorf("%v, %v", node, err)
	}
}

// A minor may take programs from Debian packages: the error lists missing ones with their packages before anything is
// built.
func TestProgramsFromDebian(t *testing.T) {
	r := newRepo(t)
	m := r.Versions.Minors[kubetest.Minor]
	m.Debian = map[string]string{"prog": "prog-tools", "native": "native"}
	r.Versions.Minors[kubetest.Minor] = m
	installed := map[string]bool{"/usr/bin/native": true, "/usr/local/bin/prog": true}
	r.lookPath = func(path string) (string, error) {
		if installed[path] {
			return path, nil
		}
		return "", exec.ErrNotFound
	}
	_, err := r.BuildAll(t.Context(), kubetest.Minor, []verdict.Arm{verdict.Stock}, []string{"prog", "kubelet", "native"})
	kubetest.WantError(t, err, "a node of v1.37 needs prog from Debian packages that are not installed here", "hack/setup.sh prog-tools", "apt-get install prog-tools")
	if _, err := os.Stat(filepath.Join(r.Output, "bin")); !os.IsNotExist(err) {
		t.Errorf("something was built nevertheless (%v)", err)
	}
	installed["/usr/sbin/prog"] = true
	built := build(t, r, []verdict.Arm{verdict.Stock}, "prog", "kubelet", "native")
	var paths []string
	for _, b := range built {
		paths = append(paths, b.Path)
		if b.Built != (b.Program == "kubelet") || b.Built == (b.Debian != "") || b.Version == "" {
			t.Errorf("%+v", b)
		}
	}
	want := []string{filepath.Join(r.Output, "bin", kubetest.Minor, "stock", "kubelet"), "/usr/bin/native", "/usr/sbin/prog"}
	if !slices.Equal(paths, want) {
		t.Errorf("got %v, want %v", paths, want)
	}
	// The other minor builds it.
	if b, err := r.BuildAll(t.Context(), "v1.38", []verdict.Arm{verdict.Stock}, []string{"prog"}); err != nil || !b[0].Built {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestBuildForAnotherArchitecture(t *testing.T) {
	r := newRepo(t)
	other := map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]
	writeSeries(t, r, kubetest.KubeletWith(0))
	here := build(t, r, []verdict.Arm{verdict.Fixed}, "kubelet")[0]
	b, err := r.BuildFor(t.Context(), kubetest.Minor, verdict.Fixed, "kubelet", other)
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(b.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range info.Settings {
		if want := map[string]string{"GOARCH": other, "CGO_ENABLED": "0"}[s.Key]; want != "" && s.Value != want {
			t.Errorf("%s: %s=%s, want %s", b.Path, s.Key, s.Value, want)
		}
	}
	if b.Path == here.Path || !b.Built || b.Version != here.Version || b.Arch != other || here.Arch != runtime.GOARCH {
		t.Errorf("%+v beside %+v", b, here)
	}
	if again, err := r.BuildFor(t.Context(), kubetest.Minor, verdict.Fixed, "kubelet", other); err != nil || again.Built {
		t.Errorf("built again: %+v, %v", again, err)
	}
	if _, err := r.BuildFor(t.Context(), kubetest.Minor, verdict.Fixed, "prog", other); err == nil || !strings.Contains(err.Error(), "not one of Kubernetes' own") {
		t.Errorf("%v", err)
	}
	if _, err := r.BuildFor(t.Context(), kubetest.Minor, verdict.Fixed, "kubelet", "mips"); err == nil || !strings.Contains(err.Error(), "amd64 or arm64") {
		t.Errorf("%v", err)
	}
}

func TestBuildFromModule(t *testing.T) {
	r := newRepo(t)
	b := build(t, r, []verdict.Arm{verdict.Fixed}, "prog")[0]
	if got := says(t, b.Path); got != "dep v1.0.0 tagged\n" || b.Arm != "" || b.Version != "v1.0.0" {
		t.Errorf("%+v prints %q", b, got)
	}
	// A binary that differs from the built one is rebuilt, whatever its stamp.
	if err := os.Truncate(b.Path, 100); err != nil {
		t.Fatal(err)
	}
	if b = build(t, r, []verdict.Arm{verdict.Stock}, "prog")[0]; !b.Built {
		t.Error("a truncated binary was accepted as up to date")
	}
	p := r.Versions.Programs["prog"]
	p.Tags = nil
	r.Versions.Programs["prog"] = p
	if b = build(t, r, []verdict.Arm{verdict.Stock}, "prog")[0]; !b.Built || says(t, b.Path) != "dep v1.0.0 untagged\n" {
		t.Error("other build tags did not trigger a rebuild")
	}
}

func TestBuildThatFailsKeepsTheOldBinary(t *testing.T) {
	r := newRepo(t)
	writeSeries(t, r, kubetest.KubeletWith(0))
	path := build(t, r, []verdict.Arm{verdict.Fixed}, "kubelet")[0].Path
	writeSeries(t, r, "package kubelet\n\nconst Grace = nonsense\n")
	_, err := r.Build(t.Context(), kubetest.Minor, verdict.Fixed, "kubelet")
	kubetest.WantError(t, err, "building kubelet", "pkg/kubelet/kubelet.go:3", "nonsense")
	if got := says(t, path); !strings.HasSuffix(got, " 0\n") {
		t.Errorf("the old binary prints %q", got)
	}
	if _, err := os.Stat(path + ".new"); !os.IsNotExist(err) {
		t.Errorf("a half-finished binary is left (%v)", err)
	}
}

func TestBuildNamesTheMissingModule(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	r := newRepo(t)
	p := r.Versions.Programs["prog"]
	p.Version = "v1.0.9"
	r.Versions.Programs["prog"] = p
	_, err := r.Build(t.Context(), kubetest.Minor, verdict.Stock, "prog")
	var missing *tool.DownloadError
	if !errors.As(err, &missing) || missing.Module != "example.test/prog@v1.0.9" {
		t.Errorf("got %v, want a DownloadError for example.test/prog@v1.0.9", err)
	}
}

func TestExplainBuild(t *testing.T) {
	for said, module := range map[string]string{
		"go: example.test/a/v2@v2.1.0: Get \"https://proxy.test/x\": dial tcp: lookup proxy.test: no such host":    "example.test/a/v2@v2.1.0",
		"cmd/x/x.go:3:8: example.test/b@v0.0.0-20260101000000-abcdef012345: module lookup disabled by GOPROXY=off": "example.test/b@v0.0.0-20260101000000-abcdef012345",
		"go: example.test/c@v1.0.0+incompatible: reading https://proxy.test/x: 502 Bad Gateway":                    "example.test/c@v1.0.0+incompatible",
		"x.go:1:1: undefined: nonsense": "",
	} {
		err := explainBuild(&target{Binary: Binary{Program: "prog"}}, &tool.Error{Args: []string{"go"}, Stderr: said, Err: errors.New("exit status 1")})
		kubetest.WantError(t, err, "building prog", said)
		var missing *tool.DownloadError
		if errors.As(err, &missing); (missing == nil) != (module == "") || missing != nil && missing.Module != module {
			t.Errorf("%s: named %v, want %q", said, missing, module)
		}
	}
}

func TestBuildInterrupted(t *testing.T) {
	r := newRepo(t)
	ctx, cancel := context.WithCancel(t.Context())
	r.Progress = kubetest.CancelAt("build: prog v1.0.0", cancel)
	_, err := r.Build(ctx, kubetest.Minor, verdict.Stock, "prog")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	r.Progress = nil
	if !build(t, r, []verdict.Arm{verdict.Stock}, "prog")[0].Built {
		t.Error("an interrupted build was accepted as done")
	}
}

func TestMissingCompilerIsNamedFirst(t *testing.T) {
	r := newRepo(t)
	r.lookPath = func(exe string) (string, error) { return "", exec.ErrNotFound }
	_, err := r.BuildAll(t.Context(), kubetest.Minor, verdict.Arms(), []string{"prog", "native"})
	kubetest.WantError(t, err, "native", "gcc", "pkg-config", "hack/setup.sh")
	if _, err := os.Stat(r.Output); !os.IsNotExist(err) {
		t.Errorf("something was begun before (%v)", err)
	}
}

func TestNoSpaceToBuild(t *testing.T) {
	r := newRepo(t)
	r.FreeSpace = func(string) (uint64, error) { return 100 << 20, nil }
	_, err := r.Build(t.Context(), kubetest.Minor, verdict.Stock, "prog")
	kubetest.WantError(t, err, "no space", "building prog", "100 MiB")
}

func TestUnknownProgram(t *testing.T) {
	_, err := newRepo(t).Build(t.Context(), kubetest.Minor, verdict.Stock, "kublet")
	kubetest.WantError(t, err, `"kublet"`, "kubelet", "kube-apiserver", "prog")
}

func TestTreeEditedWhileBuilt(t *testing.T) {
	r := newRepo(t)
	stock := ensure(t, r, verdict.Stock)
	r.Progress = edit{t, stock.Dir}
	_, err := r.Build(t.Context(), kubetest.Minor, verdict.Stock, "kubectl")
	kubetest.WantError(t, err, "while it was being built", "cmd/kubectl/main.go")
	if left, _ := os.ReadDir(filepath.Join(r.Output, "bin", kubetest.Minor)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// edit changes a file when the build starts.
type edit struct {
	t   *testing.T
	dir string
}

func (e edit) Write(p []byte) (int, error) {
	if strings.HasPrefix(string(p), "build: kubectl") {
		kubetest.WriteFiles(e.t, e.dir, map[string]string{"cmd/kubectl/main.go": "package main\n\nfunc main() { println() }\n"})
	}
	return len(p), nil
}

func TestBuildWithoutSeries(t *testing.T) {
	r := newRepo(t)
	_, err := r.Build(t.Context(), kubetest.Minor, verdict.Fixed, "kubelet")
	var none *kubetree.NoSeriesError
	if !errors.As(err, &none) {
		t.Errorf("%v, want a *NoSeriesError", err)
	}
	if _, err := os.Stat(r.Output); !os.IsNotExist(err) {
		t.Errorf("%s is left (%v)", r.Output, err)
	}
}
