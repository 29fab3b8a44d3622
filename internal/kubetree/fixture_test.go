/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package kubetree

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// The tests lay out a Kubernetes of a few files, served by a folder as a module proxy: real go and git commands without a
// network.

const (
	testMinor = "v1.37"
	testTag   = "v1.37.2"
	testTime  = "2026-10-27T12:01:04Z"
)

// kubeFiles is the tiny Kubernetes as in its git repository; the module lacks vendored code and the staging folders.
var kubeFiles = map[string]string{
	".gitattributes":     "* text=auto eol=lf\nignored-by-archive export-ignore\n",
	".gitignore":         "generated.go\n",
	"LICENSE":            "none\n",
	"go.work":            "go 1.26.0\nuse .\nuse ./staging/src/k8s.io/client-go\n",
	"vendor/modules.txt": "## workspace\n", // the only file of vendor that modules contain
	"go.work.sum":        "",
	"go.sum":             "",
	"go.mod": `module k8s.io/kubernetes

go 1.26.0

// Upstream's own comment.
require (
	k8s.io/client-go v0.0.0
	k8s.io/component-base v0.0.0 // indirect
)

replace (
	k8s.io/client-go => ./staging/src/k8s.io/client-go
	k8s.io/component-base => ./staging/src/k8s.io/component-base
	k8s.io/sample-controller => ./staging/src/k8s.io/sample-controller
)
`,
	"ignored-by-archive":       "still part of the module\n",
	"pkg/kubelet/generated.go": "package kubelet\n",
	"pkg/kubelet/kubelet.go": `package kubelet

// Grace is what the series changes.
const Grace = 2

const other = 1
`,
	"cmd/kubelet/main.go": `package main

import (
	"fmt"

	"k8s.io/client-go/pkg/version"
	base "k8s.io/component-base/version"
	"k8s.io/kubernetes/pkg/kubelet"
)

func main() {
	fmt.Println(version.Get())
	fmt.Println(base.Get(), kubelet.Grace)
}
`,
	"cmd/kube-apiserver/main.go": "package main\n\nfunc main() {}\n",
	"cmd/kubectl/main.go":        "package main\n\nfunc main() {}\n",
	"hack/run.sh":                "#!/bin/sh\n",
	"test/crlf.txt":              "windows\r\n",
}

const versionPackage = `package version

import "strings"

var gitVersion, gitMajor, gitMinor, gitCommit, gitTreeState, buildDate string

func Get() string {
	return strings.Join([]string{gitVersion, gitMajor, gitMinor, gitCommit, gitTreeState, buildDate}, " ")
}
`

// inGitOnly are the files that only the repository has.
var inGitOnly = map[string]string{
	"vendor/example.test/x/x.go":                          "package x\n",
	"staging/src/k8s.io/client-go/go.mod":                 "module k8s.io/client-go\n",
	"staging/src/k8s.io/client-go/pkg/version/version.go": versionPackage,
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "kubetree-test-")
	if err != nil {
		panic(err)
	}
	proxy := filepath.Join(dir, "proxy")
	addModule(proxy, "k8s.io/kubernetes", testTag, kubeFiles)
	addModule(proxy, "k8s.io/client-go", "v0.37.2", map[string]string{
		"go.mod": "module k8s.io/client-go\n\ngo 1.26.0\n", "pkg/version/version.go": versionPackage,
	})
	addModule(proxy, "k8s.io/component-base", "v0.37.2", map[string]string{
		"go.mod": "module k8s.io/component-base\n\ngo 1.26.0\n", "version/version.go": versionPackage,
	})
	next := maps.Clone(kubeFiles)
	next["pkg/kubelet/kubelet.go"] = strings.Replace(kubeFiles["pkg/kubelet/kubelet.go"], "package kubelet\n", "// Package kubelet of the third release.\npackage kubelet\n", 1)
	addModule(proxy, "k8s.io/kubernetes", "v1.37.3", next)
	for _, name := range []string{"client-go/pkg", "component-base"} {
		module, dir, _ := strings.Cut(name, "/")
		addModule(proxy, "k8s.io/"+module, "v0.37.3", map[string]string{
			"go.mod": "module k8s.io/" + module + "\n\ngo 1.26.0\n", path.Join(dir, "version/version.go"): versionPackage,
		})
	}
	addModule(proxy, "example.test/dep", "v1.1.0", map[string]string{
		"go.mod": "module example.test/dep\n\ngo 1.26.0\n", "dep.go": "package dep\n\nconst Name = \"dep\"\n",
	})
	addModule(proxy, "example.test/prog", "v1.0.0", map[string]string{
		"go.mod":               "module example.test/prog\n\ngo 1.26.0\n\nrequire example.test/dep v1.1.0\n\nreplace example.test/dep => ../nowhere\n",
		"version/version.go":   "package version\n\nvar Version = \"unset\"\n",
		"cmd/prog/main.go":     "package main\n\nimport (\n\t\"example.test/dep\"\n\t\"example.test/prog/version\"\n)\n\nfunc main() { println(dep.Name, version.Version, tag) }\n",
		"cmd/prog/tag.go":      "//go:build withtag\n\npackage main\n\nconst tag = \"tagged\"\n",
		"cmd/prog/notag.go":    "//go:build !withtag\n\npackage main\n\nconst tag = \"untagged\"\n",
		"cmd/prog-broken/x.go": "package main\n\nfunc main() { nonsense() }\n",
	})
	for k, v := range map[string]string{
		"GOPROXY": "file://" + proxy, "GOSUMDB": "off", "GONOSUMDB": "", "GOPRIVATE": "", "GOMODCACHE": filepath.Join(dir, "modcache"),
		// Users' settings must not matter.
		"GOFLAGS": "-mod=vendor", "GIT_DIR": "/nonexistent", "GIT_AUTHOR_NAME": "Somebody Else", "GOWORK": "/nonexistent",
		SourceVar: "", OutputVar: "",
	} {
		os.Setenv(k, v)
	}
	code := m.Run()
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o755) // the module cache is read-only
		}
		return err
	})
	os.RemoveAll(dir)
	os.Exit(code)
}

// addModule adds a module version to a proxy folder.
func addModule(proxy, path, version string, files map[string]string) {
	dir := filepath.Join(proxy, path, "@v")
	must(os.MkdirAll(dir, 0o755))
	write := func(ext, data string) {
		must(os.WriteFile(filepath.Join(dir, version+ext), []byte(data), 0o644))
	}
	write(".info", fmt.Sprintf(`{"Version":%q,"Time":%q}`, version, testTime))
	write(".mod", files["go.mod"])
	f, err := os.Create(filepath.Join(dir, version+".zip"))
	must(err)
	z := zip.NewWriter(f)
	for name, data := range files {
		w, err := z.Create(path + "@" + version + "/" + name)
		must(err)
		_, err = w.Write([]byte(data))
		must(err)
	}
	must(z.Close())
	must(f.Close())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// newRepo returns a checkout of this project with nothing but versions.yaml.
func newRepo(t *testing.T) *Repo {
	t.Helper()
	root := t.TempDir()
	writeFiles(t, root, map[string]string{"versions.yaml": fmt.Sprintf(`default: v1.37
minors:
  v1.37: {kubernetes: v1.37.2, staging: v0.37.2, go: %s, revision: 1}
  v1.38: {kubernetes: v1.38.7, staging: v0.38.7, go: %s, revision: 1}
programs:
  prog:
    module: example.test/prog
    version: v1.0.0
    tags: [withtag]
    versionVars: [example.test/prog/version.Version]
    packages:
      prog: example.test/prog/cmd/prog
      prog-broken: example.test/prog/cmd/prog-broken
  native: {module: example.test/native, version: v1.0.0, cgo: true, packages: {native: example.test/native}}
`, runtime.Version(), runtime.Version())})
	r, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	r.Progress = t.Output()
	return r
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := fs.FileMode(0o644)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o755
		}
		if err := os.WriteFile(path, []byte(data), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// git runs git with a fixed identity and returns its output.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := tool.Git(t.Context(), dir, []string{
		"GIT_AUTHOR_NAME=A U Thor", "GIT_AUTHOR_EMAIL=author@example.test", "GIT_AUTHOR_DATE=2026-11-01T10:00:00Z",
		"GIT_COMMITTER_NAME=C O Mitter", "GIT_COMMITTER_EMAIL=committer@example.test", "GIT_COMMITTER_DATE=" + testTime,
	}, args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

// kubeCheckout returns a git checkout of the tiny Kubernetes at its tag.
func kubeCheckout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeFiles(t, dir, kubeFiles)
	writeFiles(t, dir, inGitOnly)
	git(t, dir, "init", "--quiet")
	// A file that was committed with its line ends, contrary to .gitattributes.
	writeFiles(t, dir, map[string]string{".git/info/attributes": keepBytes})
	git(t, dir, "add", "--all", "--force")
	writeFiles(t, dir, map[string]string{".git/info/attributes": ""})
	git(t, dir, "commit", "--quiet", "--message", "release")
	git(t, dir, "tag", testTag)
	return dir
}

// writeSeries writes the minor's series: one patch for each edit, which is the whole new text of pkg/kubelet/kubelet.go.
func writeSeries(t *testing.T, r *Repo, edits ...string) {
	t.Helper()
	stock, err := r.Ensure(t.Context(), testMinor, verdict.Stock, nil)
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(t.TempDir(), "work")
	git(t, r.Root, "clone", "--quiet", stock.Dir, work)
	for i, text := range edits {
		writeFiles(t, work, map[string]string{"pkg/kubelet/kubelet.go": text})
		git(t, work, "commit", "--quiet", "--all", "--message", fmt.Sprintf("kubelet: edit %d", i+1))
	}
	dir := r.SeriesDir(testMinor)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	git(t, work, "format-patch", "--quiet", "--zero-commit", "--no-signature", "--output-directory", dir, stock.Commit)
	names, err := filepath.Glob(filepath.Join(dir, "*.patch"))
	if err != nil {
		t.Fatal(err)
	}
	series := ""
	for _, n := range names {
		series += filepath.Base(n) + "\n"
	}
	writeFiles(t, dir, map[string]string{"series": series})
}

// kubeletWith returns pkg/kubelet/kubelet.go with another grace.
func kubeletWith(grace int) string {
	return strings.Replace(kubeFiles["pkg/kubelet/kubelet.go"], "Grace = 2", fmt.Sprintf("Grace = %d", grace), 1)
}
