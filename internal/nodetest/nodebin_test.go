// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package nodetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{
		"v1.22/stock/kubelet", "v1.22/fixed/kubelet", "v1.22/kube-apiserver", "v1.37/stock/kubelet", "v1.37/stock/.kubelet.json", "v1.37/stock/linux-arm64/kubelet", "v1.38/stock/kubelet",
		"programs/etcd@v3.6.0/etcd", "programs/etcd@v3.7.0/etcd", "actor",
	} {
		write("bin/"+name, "")
	}
	found := func(minor string) map[string]string {
		t.Helper()
		bin, err := Find(root, filepath.Join(root, "bin"), minor)
		if err != nil {
			t.Fatal(err)
		}
		for name, path := range bin {
			if bin[name], err = filepath.Rel(filepath.Join(root, "bin"), path); err != nil {
				t.Fatal(err)
			}
		}
		return bin
	}
	if all := found(""); len(all) != 4 {
		t.Errorf("without pins: %v", all)
	}
	write("versions.yaml", `default: v1.37
minors:
  v1.22: {kubernetes: v1.22.17, staging: v0.22.17, go: go1.26.10, revision: 1, debian: {etcd: no-such-package}}
  v1.37: {kubernetes: v1.37.2, staging: v0.37.2, go: go1.26.10, revision: 1}
  v1.38: {kubernetes: v1.38.0, staging: v0.38.0, go: go1.26.10, revision: 1}
programs:
  etcd: {module: go.etcd.io/etcd/server/v3, version: v3.7.0, packages: {etcd: go.etcd.io/etcd/server/v3}}
`)
	for minor, want := range map[string]map[string]string{
		"":      {"actor": "actor", "kubelet": "v1.37/stock/kubelet", "etcd": "programs/etcd@v3.7.0/etcd"},
		"v1.38": {"actor": "actor", "kubelet": "v1.38/stock/kubelet", "etcd": "programs/etcd@v3.7.0/etcd"},
		"v1.22": {"actor": "actor", "kubelet": "v1.22/stock/kubelet", "kube-apiserver": "v1.22/kube-apiserver"},
	} {
		got := found(minor)
		if _, err := os.Stat("/usr/bin/etcd"); err == nil {
			delete(got, "etcd") // the machine has the package
			delete(want, "etcd")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", minor, diff)
		}
	}
	if _, err := Find(root, filepath.Join(root, "bin"), "v1.2"); err == nil {
		t.Error("an unknown minor is found")
	}
}
