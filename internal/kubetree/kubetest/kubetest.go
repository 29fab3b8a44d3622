// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kubetest is a Kubernetes of a few files for the tests of packages kubetree and kubebuild. A directory serves it as a
// module proxy, so that real go and git commands run without a network. The modules are not Kubernetes'.
package kubetest

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
)

const (
	Minor = "v1.37"
	Tag   = "v1.37.2"
	Time  = "2026-10-27T12:01:04Z"
)

// KubeFiles are the files of the tiny Kubernetes as in its git repository; the module lacks vendored code and the staging directories.
var KubeFiles = map[string]string{
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

const VersionPackage = `package version

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
	"staging/src/k8s.io/client-go/pkg/version/version.go": VersionPackage,
}

// Main runs the tests of a package with the tiny modules as the only ones. Call it from TestMain.
func Main(m *testing.M) {
	dir, err := os.MkdirTemp("", "kubetree-test-")
	if err != nil {
		panic(err)
	}
	proxy := filepath.Join(dir, "proxy")
	AddModule(proxy, "k8s.io/kubernetes", Tag, KubeFiles)
	AddModule(proxy, "k8s.io/client-go", "v0.37.2", map[string]string{
		"go.mod": "module k8s.io/client-go\n\ngo 1.26.0\n", "pkg/version/version.go": VersionPackage,
	})
	AddModule(proxy, "k8s.io/component-base", "v0.37.2", map[string]string{
		"go.mod": "module k8s.io/component-base\n\ngo 1.26.0\n", "version/version.go": VersionPackage,
	})
	next := maps.Clone(KubeFiles)
	next["pkg/kubelet/kubelet.go"] = strings.Replace(KubeFiles["pkg/kubelet/kubelet.go"], "package kubelet\n", "// Package kubelet of the third release.\npackage kubelet\n", 1)
	AddModule(proxy, "k8s.io/kubernetes", "v1.37.3", next)
	for _, name := range []string{"client-go/pkg", "component-base"} {
		module, dir, _ := strings.Cut(name, "/")
		AddModule(proxy, "k8s.io/"+module, "v0.37.3", map[string]string{
			"go.mod": "module k8s.io/" + module + "\n\ngo 1.26.0\n", path.Join(dir, "version/version.go"): VersionPackage,
		})
	}
	AddModule(proxy, "example.test/dep", "v1.1.0", map[string]string{
		"go.mod": "module example.test/dep\n\ngo 1.26.0\n", "dep.go": "package dep\n\nconst Name = \"dep\"\n",
	})
	AddModule(proxy, "example.test/prog", "v1.0.0", map[string]string{
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
		"KUBE_SRC": "", "KGRACE_OUTPUT": "",
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

// AddModule adds a module version to a proxy directory.
func AddModule(proxy, path, version string, files map[string]string) {
	dir := filepath.Join(proxy, path, "@v")
	must(os.MkdirAll(dir, 0o755))
	write := func(ext, data string) {
		must(os.WriteFile(filepath.Join(dir, version+ext), []byte(data), 0o644))
	}
	write(".info", fmt.Sprintf(`{"Version":%q,"Time":%q}`, version, Time))
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

// Root returns a checkout of this project with nothing but versions.yaml.
func Root(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	WriteFiles(t, root, map[string]string{"versions.yaml": fmt.Sprintf(`default: v1.37
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
	return root
}

// WriteFiles writes files below a directory.
func WriteFiles(t *testing.T, dir string, files map[string]string) {
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

// Git runs git with a fixed identity and returns its output.
func Git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := tool.Git(t.Context(), dir, []string{
		"GIT_AUTHOR_NAME=A U Thor", "GIT_AUTHOR_EMAIL=author@example.test", "GIT_AUTHOR_DATE=2026-11-01T10:00:00Z",
		"GIT_COMMITTER_NAME=C O Mitter", "GIT_COMMITTER_EMAIL=committer@example.test", "GIT_COMMITTER_DATE=" + Time,
	}, args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

// KubeCheckout returns a git checkout of the tiny Kubernetes at its tag.
func KubeCheckout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	WriteFiles(t, dir, KubeFiles)
	WriteFiles(t, dir, inGitOnly)
	Git(t, dir, "init", "--quiet")
	// A file that was committed with its line ends, contrary to .gitattributes.
	WriteFiles(t, dir, map[string]string{".git/info/attributes": "* -text -ident -filter\n"})
	Git(t, dir, "add", "--all", "--force")
	WriteFiles(t, dir, map[string]string{".git/info/attributes": ""})
	Git(t, dir, "commit", "--quiet", "--message", "release")
	Git(t, dir, "tag", Tag)
	return dir
}

// WriteSeries writes a series for the stock tree: one patch for each edit, which is the whole new text of
// pkg/kubelet/kubelet.go.
func WriteSeries(t *testing.T, stock, series string, edits ...string) {
	t.Helper()
	work := filepath.Join(t.TempDir(), "work")
	Git(t, stock, "clone", "--quiet", stock, work)
	base := Git(t, work, "rev-parse", "HEAD")
	for i, text := range edits {
		WriteFiles(t, work, map[string]string{"pkg/kubelet/kubelet.go": text})
		Git(t, work, "commit", "--quiet", "--all", "--message", fmt.Sprintf("kubelet: edit %d", i+1))
	}
	if err := os.RemoveAll(series); err != nil {
		t.Fatal(err)
	}
	Git(t, work, "format-patch", "--quiet", "--zero-commit", "--no-signature", "--output-directory", series, base)
	names, err := filepath.Glob(filepath.Join(series, "*.patch"))
	if err != nil {
		t.Fatal(err)
	}
	list := ""
	for _, n := range names {
		list += filepath.Base(n) + "\n"
	}
	WriteFiles(t, series, map[string]string{"series": list})
}

// KubeletWith returns pkg/kubelet/kubelet.go with another grace.
func KubeletWith(grace int) string {
	return strings.Replace(KubeFiles["pkg/kubelet/kubelet.go"], "Grace = 2", fmt.Sprintf("Grace = %d", grace), 1)
}
