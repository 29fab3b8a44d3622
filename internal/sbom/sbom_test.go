// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sbom

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPrograms: two programs of one Kubernetes share its package, by the tag and not by the version of the fixed one.
func TestPrograms(t *testing.T) {
	d := New("x", "unique", "c0ffee", time.Unix(0, 0))
	root := d.Add(Package{ID: "root", Name: "root"}, "DESCRIBES", d.ID)
	for _, name := range []string{"kubelet", "kubeadm"} {
		d.AddProgram(Program{Name: name, Version: "v1.37.2+grace.2", Kubernetes: "v1.37.2", Go: "go1.26.10",
			Modules: []Module{{Path: "k8s.io/api", Version: "v0.37.2"}}}, "", root)
	}
	var names, purls []string
	for _, p := range d.Packages {
		names = append(names, p.Name)
		for _, r := range p.Refs {
			purls = append(purls, r.Locator)
		}
		if p.Supplier == "" || p.Download == "" {
			t.Errorf("%+v", p)
		}
	}
	if want := []string{"root", "kubelet", "k8s.io/kubernetes", "k8s.io/api", "stdlib", "kubeadm"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if want := []string{"pkg:golang/k8s.io/kubernetes@v1.37.2", "pkg:golang/k8s.io/api@v0.37.2", "pkg:golang/stdlib@1.26.10"}; !slices.Equal(purls, want) {
		t.Errorf("%q, want %q", purls, want)
	}
	links := 0
	for _, r := range d.Relationships {
		if r.Type == "STATIC_LINK" && r.To == KubernetesID("v1.37.2") {
			links++
		}
	}
	if links != 2 {
		t.Errorf("%d programs are linked with Kubernetes, want 2", links)
	}
}

// TestDescribe: a Go program has its compiler and modules, a script only a checksum.
func TestDescribe(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Describe("self", "v1", self)
	if err != nil || p.Module != "github.com/kgrace/kgrace" || !strings.HasPrefix(p.Go, "go1.") || p.Kubernetes != "" {
		t.Errorf("%+v, %v", p, err)
	}
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if p, err := Describe("script", "", script); err != nil || p.Go != "" || len(p.SHA256) != 64 {
		t.Errorf("%+v, %v", p, err)
	}
}
