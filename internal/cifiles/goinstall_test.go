// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package cifiles

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestGoInstall installs the cluster check by its path and a version, as README says. A directory serves this checkout's module as
// a release; all other modules come from the module cache or the usual proxy.
func TestGoInstall(t *testing.T) {
	const version = "v0.0.1"
	root, err := filepath.Abs("../../cmd/kubectl-kgrace")
	if err != nil {
		t.Fatal(err)
	}
	path := "github.com/kgrace/kgrace/cmd/kubectl-kgrace"
	dir := t.TempDir()
	at := filepath.Join(dir, "proxy", path, "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"list": version + "\n", version + ".info": `{"Version":"` + version + `"}`, version + ".mod": string(gomod)} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	archive, err := os.Create(filepath.Join(at, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromDir(archive, module.Version{Path: path, Version: version}, root); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	env := strings.Fields(string(out)) // the cache saves downloads
	cmd := exec.Command("go", "install", path+"@"+version)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath -modcacherw", "GOSUMDB=off", "GOBIN="+dir, "GOMODCACHE="+filepath.Join(dir, "modules"),
		"GOPROXY=file://"+filepath.Join(dir, "proxy")+",file://"+env[0]+"/cache/download,"+env[1])
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err = exec.Command(filepath.Join(dir, "kubectl-kgrace"), "check", "--dry-run").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "kind: Pod") {
		t.Errorf("%v\n%s", err, out)
	}
}
