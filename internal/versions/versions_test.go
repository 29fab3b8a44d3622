// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const good = `default: v1.37
minors:
  v1.37: {kubernetes: v1.37.2, staging: v0.37.2, go: go1.26.10, revision: 1}
  v1.38: {kubernetes: v1.38.0-beta.0, staging: v0.38.0-beta.0, go: go1.27.3, revision: 2}
programs:
  etcd:
    module: go.etcd.io/etcd/server/v3
    version: v3.7.0
    packages: {etcd: go.etcd.io/etcd/server/v3}
`

func load(t *testing.T, text string) (*File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), FileName)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return Load(path)
}

func TestLoad(t *testing.T) {
	f, err := load(t, good)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"": "v1.37.2+grace.1", "v1.37": "v1.37.2+grace.1", "v1.38": "v1.38.0-beta.0+grace.2"} {
		if m, err := f.Minor(name); err != nil || m.FixedVersion() != want {
			t.Errorf("Minor(%q) = %+v, %v; want the fixed version %s", name, m, err, want)
		}
	}
	if _, err := f.Minor("v1.99"); err == nil || !strings.Contains(err.Error(), `"v1.99"; versions.yaml knows v1.37, v1.38`) {
		t.Errorf("unknown minor: %v", err)
	}
	if name, p, err := f.ProgramOf("etcd"); err != nil || name != "etcd" || p.Version != "v3.7.0" {
		t.Errorf("ProgramOf(etcd) = %s, %+v, %v", name, p, err)
	}
	if _, _, err := f.ProgramOf("etc"); err == nil || !strings.Contains(err.Error(), `"etc"; versions.yaml knows etcd`) {
		t.Errorf("unknown program: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, c := range map[string]struct{ old, new, says string }{
		"field twice":         {"revision: 1}", "revision: 1, revision: 2}", "revision"},
		"unknown field":       {"revision: 1}", "revision: 1, colour: red}", "colour"},
		"no YAML":             {"default: v1.37", "default: [", FileName},
		"default unknown":     {"default: v1.37", "default: v1.36", `default: "v1.36" is not one of the minors v1.37, v1.38`},
		"minor's form":        {"  v1.38: {", "  one38: {", "minors.one38: not a minor"},
		"tag's form":          {"kubernetes: v1.37.2", "kubernetes: 1.37.2", "minors.v1.37.kubernetes"},
		"tag cut short":       {"kubernetes: v1.37.2", "kubernetes: v1.37", "minors.v1.37.kubernetes"},
		"tag of other minor":  {"kubernetes: v1.37.2", "kubernetes: v1.36.4", "belongs to minor v1.36"},
		"staging of other":    {"staging: v0.37.2", "staging: v0.37.1", "want v0.37.2"},
		"toolchain's form":    {"go: go1.26.10", "go: 1.26.10", "minors.v1.37.go"},
		"no revision":         {"revision: 1}", "revision: 0}", "minors.v1.37.revision"},
		"no version":          {"version: v3.7.0", "version: latest", "programs.etcd.module"},
		"major version":       {"version: v3.7.0", "version: v2.7.0", "programs.etcd.module"},
		"package elsewhere":   {"{etcd: go.etcd.io/etcd/server/v3}", "{etcd: example.test/etcd}", "programs.etcd.packages.etcd"},
		"no packages":         {"packages: {etcd: go.etcd.io/etcd/server/v3}", "packages: {}", "programs.etcd.packages: empty"},
		"name leads out":      {"{etcd: go.etcd.io", "{../etcd: go.etcd.io", "packages.../etcd"},
		"odd tag":             {"version: v3.7.0", "version: v3.7.0\n    tags: [\"a b\"]", `"a b" is not a build tag`},
		"no such place":       {"revision: 1}", "revision: 1, debian: {dockerd: docker.io}}", "debian.dockerd: not one of the programs"},
		"no package":          {"revision: 1}", "revision: 1, debian: {etcd: Etcd Server}}", `"Etcd Server" is not the name of a Debian package`},
		"use in words":        {"version: v3.7.0", "version: v3.7.0\n    for: the bench", "programs.etcd.for"},
		"flag in the version": {"version: v3.7.0", "version: v3.7.0\n    versionVars: [\"x -X y.Z\"]", "programs.etcd.versionVars"},
		"two of one name":     {"programs:\n", "programs:\n  also:\n    module: example.test/x\n    version: v1.0.0\n    packages: {etcd: example.test/x}\n", "already comes from program also"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(good, c.old, c.new, 1)
			if text == good {
				t.Fatal("the test changes nothing")
			}
			_, err := load(t, text)
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), FileName) {
				t.Errorf("does not contain %q and the file's name: %v", c.says, err)
			}
		})
	}
	t.Run("everything at once", func(t *testing.T) {
		_, err := load(t, strings.NewReplacer("go1.26.10", "x", "v3.7.0", "y").Replace(good))
		if err == nil || !strings.Contains(err.Error(), "v1.37.go") || !strings.Contains(err.Error(), "programs.etcd") {
			t.Errorf("does not report both: %v", err)
		}
	})
	t.Run("empty", func(t *testing.T) {
		if _, err := load(t, ""); err == nil || !strings.Contains(err.Error(), "minors: empty") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("absent", func(t *testing.T) {
		if _, err := LoadRoot(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is missing") {
			t.Errorf("got %v", err)
		}
	})
}

// The file of this repository.
func TestOwnFile(t *testing.T) {
	if _, err := LoadRoot("../.."); err != nil {
		t.Error(err)
	}
}
