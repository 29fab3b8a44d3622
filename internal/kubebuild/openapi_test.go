// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubebuild

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/kubetree/kubetest"
	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

// oldKubernetes is the tiny Kubernetes from a time when the build generated a file of kube-apiserver, with a generator that
// records its arguments.
func oldKubernetes(t *testing.T, r *Builder) {
	t.Helper()
	files := maps.Clone(kubetest.KubeFiles)
	files["go.mod"] = strings.Replace(kubetest.KubeFiles["go.mod"], "// Upstream's own comment.\n", "", 1)
	files["go.mod"] = strings.Replace(files["go.mod"], "require (\n", "require (\n\tk8s.io/kube-openapi v0.0.0\n", 1)
	// As a staging module, so that the tree's go.sum contains it.
	files["go.mod"] = strings.Replace(files["go.mod"], "replace (\n", "replace (\n\tk8s.io/kube-openapi => ./staging/src/k8s.io/kube-openapi\n", 1)
	files["go.mod"] = strings.Replace(files["go.mod"], "1.26.0", "1.16", 1)
	files["pkg/generated/openapi/doc.go"] = "package openapi\n"
	files["hack/boilerplate/boilerplate.generatego.txt"] = "// header\n"
	files["pkg/apis/marked/types.go"] = "// +k8s:openapi-gen=true\n\npackage marked\n"
	files["pkg/apis/unmarked/types.go"] = "package unmarked\n"
	files["pkg/apis/unlinked/types.go"] = "// +k8s:openapi-gen=true\n\npackage unlinked\n"
	files["cmd/kube-apiserver/main.go"] = `package main

import (
	_ "k8s.io/kubernetes/pkg/apis/marked"
	_ "k8s.io/kubernetes/pkg/apis/unmarked"
	"k8s.io/kubernetes/pkg/generated/openapi"
)

func main() { println(openapi.Packages) }
`
	proxy := t.TempDir()
	kubetest.AddModule(proxy, "k8s.io/kubernetes", "v1.22.17", files)
	for _, name := range []string{"client-go", "component-base"} {
		at := map[string]string{"client-go": "pkg/version/version.go", "component-base": "version/version.go"}[name]
		kubetest.AddModule(proxy, "k8s.io/"+name, "v0.22.17", map[string]string{"go.mod": "module k8s.io/" + name + "\n\ngo 1.16\n", at: kubetest.VersionPackage})
	}
	kubetest.AddModule(proxy, "k8s.io/kube-openapi", "v0.22.17", map[string]string{"go.mod": "module k8s.io/kube-openapi\n\ngo 1.16\n", "cmd/openapi-gen/main.go": `package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	inputs, pkg, base, out := flag.String("input-dirs", "", ""), flag.String("output-package", "", ""), flag.String("output-file-base", "", ""), flag.String("output-base", "", "")
	header := flag.String("go-header-file", "", "")
	flag.String("report-filename", "", "")
	flag.Bool("logtostderr", false, "")
	flag.Parse()
	text, err := os.ReadFile(*header)
	if err != nil {
		panic(err)
	}
	if *inputs == "k8s.io/kubernetes/pkg/apis/marked" && os.Getenv("BREAK_THE_GENERATOR") != "" {
		fmt.Fprintln(os.Stderr, "cannot find the types")
		os.Exit(1)
	}
	dir := filepath.Join(*out, *pkg)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(dir, *base+".go"), []byte(string(text)+"package openapi\n\nconst Packages = \""+*inputs+"\"\n"), 0o644); err != nil {
		panic(err)
	}
}
`})
	t.Setenv("GOPROXY", "file://"+proxy)
	r.Versions.Minors["v1.22"] = versions.Minor{Kubernetes: "v1.22.17", Staging: "v0.22.17", Go: runtime.Version(), Revision: 1}
}

// The tree's own generator generates a file that upstream's makefiles would generate, from what the program links. It is
// laid over the tree, which stays as it is.
func TestWhatTheBuildGenerates(t *testing.T) {
	r := newRepo(t)
	oldKubernetes(t, r)
	t.Setenv("BREAK_THE_GENERATOR", "yes")
	_, err := r.Build(t.Context(), "v1.22", verdict.Stock, "kube-apiserver")
	kubetest.WantError(t, err, "building kube-apiserver", "openapi-gen", "cannot find the types")
	t.Setenv("BREAK_THE_GENERATOR", "")

	b, err := r.BuildAll(t.Context(), "v1.22", []verdict.Arm{verdict.Stock}, []string{"kube-apiserver", "kubectl"})
	if err != nil {
		t.Fatal(err)
	}
	if got := says(t, b[0].Path); got != "k8s.io/kubernetes/pkg/apis/marked\n" {
		t.Errorf("the definitions are of %q", got)
	}
	tree := r.TreeDir("v1.22", verdict.Stock)
	if status := kubetest.Git(t, tree, "status", "--porcelain", "--ignored"); status != "" {
		t.Errorf("the tree was changed:\n%s", status)
	}
	if _, err := os.Stat(filepath.Join(tree, openAPIDir, openAPIFile)); !os.IsNotExist(err) {
		t.Errorf("the file is in the tree (%v)", err)
	}
	data, err := os.ReadFile(b[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), r.Output) {
		t.Error("the binary contains the name of the generated files' directory")
	}
	if again, err := r.BuildAll(t.Context(), "v1.22", []verdict.Arm{verdict.Stock}, []string{"kube-apiserver"}); err != nil || again[0].Built {
		t.Errorf("%+v, %v: it was up to date", again, err)
	}
}
