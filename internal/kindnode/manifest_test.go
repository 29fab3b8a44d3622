// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/bare/rootfs"
	"github.com/kgrace/kgrace/internal/sbom"
	"github.com/kgrace/kgrace/internal/verdict"
)

// self describes this test binary as a program; it is large, so it is read only once.
var self = sync.OnceValues(func() (*sbom.Program, error) {
	file, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return sbom.Describe(kubelet, "v1.37.2+grace.1", file)
})

// sample returns a manifest with every field set. Its kubelet is this test binary.
func sample(t *testing.T) *Manifest {
	t.Helper()
	described, err := self()
	if err != nil {
		t.Fatal(err)
	}
	p := *described
	p.Kubernetes = "v1.37.2"
	p.Modules = []sbom.Module{{Path: "golang.org/x/mod", Version: "v0.30.0+incompatible", Sum: "h1:AAAA"}}
	m := &Manifest{Format: 1, Arm: verdict.Fixed, Minor: "v1.37", Kubernetes: "v1.37.2", Arch: "amd64", Commit: "c0ffee", Series: "sha256:5e71e5",
		Patches: []string{"0001-a.patch"}, Kubelet: p, Source: Source{From: FromModules}, Kind: "v0.33.0",
		Programs: []sbom.Program{{Name: "pause", SHA256: strings.Repeat("0", 64)}},
		Debian:   []rootfs.Package{{Name: "libstdc++6", Version: "1:12.2-14+deb12u1", Arch: "amd64"}},
		date:     time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), tool: "c0ffee"}
	for _, name := range []string{"b.example/x:v1", "a.example/x:v1", "a.example/x_v1"} {
		m.noteImage(name)
	}
	m.stub("b.example/x:v1", "an empty image")
	return m
}

func TestManifestIsStable(t *testing.T) {
	one, err := sample(t).json()
	if err != nil {
		t.Fatal(err)
	}
	two, err := sample(t).json()
	if err != nil || !bytes.Equal(one, two) {
		t.Errorf("two equal manifests differ, %v", err)
	}
	var back Manifest
	if err := json.Unmarshal(one, &back); err != nil || back.Kubelet.SHA256 != sample(t).Kubelet.SHA256 || back.Images[0] != "a.example/x:v1" {
		t.Errorf("%+v, %v", back, err)
	}
}

// The arms share everything but the kubelet; any other difference makes another image.
func TestInputs(t *testing.T) {
	inputs := func(change func(*Manifest)) string {
		m := sample(t)
		change(m)
		h, err := m.inputs()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	same := inputs(func(*Manifest) {})
	if got := inputs(func(m *Manifest) {
		m.Arm, m.Series, m.Patches, m.Commit, m.Kubelet = verdict.Stock, "", nil, "beef", sbom.Program{Name: kubelet, SHA256: "1"}
	}); got != same {
		t.Error("the arms' common inputs differ")
	}
	for name, change := range map[string]func(*Manifest){
		"a program":        func(m *Manifest) { m.Programs[0].SHA256 = strings.Repeat("1", 64) },
		"a Debian package": func(m *Manifest) { m.Debian[0].Version = "2" },
		"kind":             func(m *Manifest) { m.Kind = "v0.34.0" },
		"Kubernetes":       func(m *Manifest) { m.Kubernetes = "v1.37.3" },
		"an image":         func(m *Manifest) { m.Images[0] = "c.example/x:v1" },
	} {
		if inputs(change) == same {
			t.Errorf("%s changed, but the inputs' hash did not", name)
		}
	}
}

func TestLabels(t *testing.T) {
	labels, err := sample(t).labels()
	if err != nil {
		t.Fatal(err)
	}
	if labels[LabelArm] != "fixed" || labels[LabelKubelet] != "v1.37.2+grace.1" || labels[LabelKubeletSum] != sample(t).Kubelet.SHA256 || labels[LabelSeries] == "" || labels[LabelKubeletTag] != "v1.37.2" {
		t.Errorf("%v", labels)
	}
	for name := range labels {
		if !strings.HasPrefix(name, "io.github.kgrace.") && !strings.HasPrefix(name, "org.opencontainers.image.") {
			t.Errorf("label %s is not in reverse-DNS form", name)
		}
	}
}

// The rules of SPDX 2.3 that readers rely on.
func TestSPDX(t *testing.T) {
	for _, source := range []Source{{From: FromModules}, {From: FromImage, Ref: "kindest/node:v1", ID: "sha256:" + strings.Repeat("a", 64)},
		{From: FromTarball, File: "kubernetes-server-linux-amd64.tar.gz", SHA512: strings.Repeat("b", 128)}} {
		m := sample(t)
		m.Source = source
		m.Kubernetes = "v1.37.0" // an older image, whose kubelet is replaced by one of v1.37.2
		data, err := m.spdx("kgrace.test/kind-node:v1")
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := m.spdx("kgrace.test/kind-node:v1"); !bytes.Equal(data, again) {
			t.Error("two documents of the same image differ")
		}
		var d sbom.Document
		if err := json.Unmarshal(data, &d); err != nil {
			t.Fatal(err)
		}
		if d.Version != "SPDX-2.3" || d.DataLicense != "CC0-1.0" || d.Creation.Created != "2026-01-02T03:04:05Z" || !slices.Contains(d.Creation.Creators, "Tool: kgrace-c0ffee") {
			t.Errorf("%+v", d.Creation)
		}
		checkSPDX(t, &d, source)
	}
}

func checkSPDX(t *testing.T, d *sbom.Document, source Source) {
	t.Helper()
	id := regexp.MustCompile(`^SPDXRef-[A-Za-z0-9.-]+$`)
	ids := map[string]string{d.ID: "the document"}
	found := map[string]bool{}
	purls := map[string]bool{}
	for _, p := range d.Packages {
		if !id.MatchString(p.ID) || ids[p.ID] != "" || p.Download == "" || p.Name == "" {
			t.Errorf("%+v (its ID is also that of %q)", p, ids[p.ID])
		}
		ids[p.ID], found[p.Name] = p.Name, true
		if p.Supplier == "" {
			t.Errorf("%s has no supplier", p.Name)
		}
		if p.Name == kubelet && (!strings.HasPrefix(p.Comment, "Kubernetes v1.37.2 with the patches 0001-a.patch") || p.Supplier != sbom.Ours) {
			t.Errorf("%+v", p)
		}
		for _, r := range p.Refs {
			purls[r.Locator] = true
			if !strings.HasPrefix(r.Locator, "pkg:") || strings.ContainsAny(r.Locator, " +") {
				t.Errorf("%s: %+v", p.Name, r)
			}
		}
	}
	for _, want := range []string{kubelet, "pause", "libstdc++6", "a.example/x:v1", "a.example/x_v1", "golang.org/x/mod", source.Ref, source.File} {
		if want != "" && !found[want] {
			t.Errorf("%s is not in the list", want)
		}
	}
	for _, want := range []string{"pkg:golang/k8s.io/kubernetes@v1.37.2", "pkg:golang/stdlib@" + strings.TrimPrefix(runtime.Version(), "go")} {
		if !purls[want] {
			t.Errorf("no %s for scanners", want)
		}
	}
	described := false
	for _, r := range d.Relationships {
		if ids[r.From] == "" || ids[r.To] == "" {
			t.Errorf("%+v leads nowhere", r)
		}
		described = described || r.From == d.ID && r.Type == "DESCRIBES"
	}
	if !described {
		t.Error("the document describes nothing")
	}
}
