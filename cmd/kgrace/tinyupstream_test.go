// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// tiny is a checkout of this project with a Kubernetes of a few lines. A directory serves as its module proxy; the real go and git
// lay it out. v1.37.2 is pinned; v1.37.3 changes lines near the series' changes, v1.37.4 one of the same lines.
type tiny struct {
	t    *testing.T
	root string
}

const tinySubject1, tinySubject2 = "kubelet: count from the start of termination", "kuberuntime: return when the context ends"

const tinyTrailers = `
Upstream-Status: Pending
Upstream-Issue: 83916
Contract: R1
Scenarios: shorten-once
Drop-When: upstream carries it
Signed-off-by: A Person <person@example.org>
`

func tinyLines(word string, change map[int]string) string {
	var b strings.Builder
	b.WriteString("package kubelet\n\n")
	for i := 1; i <= 40; i++ {
		text, ok := change[i]
		if !ok {
			text = fmt.Sprintf("// %s %d", word, i)
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

func newTiny(t *testing.T) *tiny {
	t.Helper()
	u := &tiny{t: t, root: t.TempDir()}
	proxy, cache := t.TempDir(), t.TempDir()
	t.Cleanup(func() { // the module cache is read-only
		_ = filepath.WalkDir(cache, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				return os.Chmod(path, 0o755)
			}
			return err
		})
	})
	for k, v := range map[string]string{"GOPROXY": "file://" + proxy, "GOSUMDB": "off", "GONOSUMDB": "", "GOPRIVATE": "", "GOMODCACHE": cache,
		RootVar: u.root, "KGRACE_OUTPUT": "", "KUBE_SRC": ""} {
		t.Setenv(k, v)
	}
	files := map[string]string{
		"go.mod": "module k8s.io/kubernetes\n\ngo 1.26.0\n\nrequire k8s.io/client-go v0.0.0\n\nreplace k8s.io/client-go => ./staging/src/k8s.io/client-go\n",
		"go.sum": "", ".gitignore": "_output/\n",
		"cmd/kubelet/main.go":    "package main\n\nfunc main() {}\n",
		"pkg/kubelet/kubelet.go": tinyLines("line", nil), "pkg/kubelet/worker.go": tinyLines("worker", nil),
	}
	u.module(proxy, "k8s.io/kubernetes", "v1.37.2", files)
	around, there := maps.Clone(files), maps.Clone(files)
	around["pkg/kubelet/kubelet.go"] = "// Package kubelet is of the third release.\n" + tinyLines("line", nil)
	u.module(proxy, "k8s.io/kubernetes", "v1.37.3", around)
	there["pkg/kubelet/worker.go"] = tinyLines("worker", map[int]string{7: "// worker 7 of upstream"})
	u.module(proxy, "k8s.io/kubernetes", "v1.37.4", there)
	for _, version := range []string{"v0.37.2", "v0.37.3", "v0.37.4"} {
		u.module(proxy, "k8s.io/client-go", version, map[string]string{"go.mod": "module k8s.io/client-go\n\ngo 1.26.0\n", "x.go": "package x\n"})
	}
	u.write("go.mod", "module "+moduleName+"\n")
	u.write("versions.yaml", fmt.Sprintf("default: v1.37\nminors:\n  v1.37:\n    kubernetes: v1.37.2\n    staging: v0.37.2\n    go: %s\n    revision: 1\n", runtime.Version()))
	u.series()
	return u
}

// module writes a module version to a proxy directory.
func (u *tiny) module(proxy, path, version string, files map[string]string) {
	u.t.Helper()
	dir := filepath.Join(proxy, path, "@v")
	if err := errors.Join(os.MkdirAll(dir, 0o755),
		os.WriteFile(filepath.Join(dir, version+".info"), fmt.Appendf(nil, `{"Version":%q,"Time":"2026-10-27T12:01:04Z"}`, version), 0o644),
		os.WriteFile(filepath.Join(dir, version+".mod"), []byte(files["go.mod"]), 0o644)); err != nil {
		u.t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		u.t.Fatal(err)
	}
	z := zip.NewWriter(out)
	for name, text := range files {
		w, err := z.Create(path + "@" + version + "/" + name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			u.t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), out.Close()); err != nil {
		u.t.Fatal(err)
	}
}

// series writes two patches for v1.37.2. It makes them in the stock tree that kgrace lays out, and restores the tree.
func (u *tiny) series() {
	u.t.Helper()
	u.ok("tree", "--arm", "stock")
	stock := u.tree("stock")
	base := u.git(stock, "rev-parse", "HEAD")
	u.edit(stock, "kubelet.go", "// line 20\n", "// line twenty\n")
	u.commit(stock, tinySubject1)
	u.edit(stock, "worker.go", "// worker 7\n", "// worker seven\n")
	u.commit(stock, tinySubject2)
	if _, err := patchset.Extract(u.t.Context(), stock, base, filepath.Join(u.root, "patches/v1.37")); err != nil {
		u.t.Fatal(err)
	}
	u.git(stock, "reset", "--quiet", "--hard", base)
}

func (u *tiny) tree(arm string) string { return filepath.Join(u.root, "_output/trees/v1.37", arm) }

func (u *tiny) git(dir string, args ...string) string {
	u.t.Helper()
	out, err := tool.Git(u.t.Context(), dir, nil, append([]string{"-c", "user.name=A Person", "-c", "user.email=person@example.org"}, args...)...)
	if err != nil {
		u.t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

func (u *tiny) commit(dir, subject string) {
	u.t.Helper()
	u.git(dir, "commit", "--quiet", "--all", "--date=2026-01-02T03:04:05Z", "--message="+subject+"\n\nThe body says why.\n"+tinyTrailers)
}

// edit replaces old, which must occur, in a file of pkg/kubelet of a tree.
func (u *tiny) edit(tree, name, old, new string) {
	u.t.Helper()
	path := filepath.Join(tree, "pkg/kubelet", name)
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), old) {
		u.t.Fatalf("%s has no %q (%v):\n%s", path, old, err, data)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), old, new, 1)), 0o644); err != nil {
		u.t.Fatal(err)
	}
}

func (u *tiny) write(name, text string) {
	u.t.Helper()
	if err := os.WriteFile(filepath.Join(u.root, name), []byte(text), 0o644); err != nil {
		u.t.Fatal(err)
	}
}

// state returns the files that a command must not change silently, byte for byte: the series and the pins.
func (u *tiny) state() map[string]string {
	u.t.Helper()
	state := map[string]string{}
	names, err := filepath.Glob(filepath.Join(u.root, "patches/v1.37/*"))
	for _, path := range append(names, filepath.Join(u.root, "versions.yaml")) {
		data, readErr := os.ReadFile(path)
		err = errors.Join(err, readErr)
		state[filepath.Base(path)] = string(data)
	}
	if err != nil || len(state) != 4 {
		u.t.Fatalf("%d files, %v", len(state), err)
	}
	return state
}

// changed names the files that differ between two states.
func changed(before, after map[string]string) (names []string) {
	for name, text := range after {
		if before[name] != text {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			names = append(names, "-"+name)
		}
	}
	return names
}

// ok runs a command that must succeed.
func (u *tiny) ok(args ...string) (output, errs string) {
	u.t.Helper()
	return u.ends(verdict.ExitGood, args...)
}

// ends runs a command that must exit with the given code.
func (u *tiny) ends(want int, args ...string) (output, errs string) {
	u.t.Helper()
	code, output, errs := kgrace(u.t.Context(), args...)
	if code != want {
		u.t.Fatalf("kgrace %s: exit code %d, want %d\nstdout: %s\nstderr: %s", strings.Join(args, " "), code, want, output, errs)
	}
	return output, errs
}

// says fails unless the text contains every word.
func (u *tiny) says(text string, words ...string) {
	u.t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			u.t.Errorf("no %q in\n%s", word, text)
		}
	}
}
