// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

// repo returns a checkout that contains nothing but its pins.
func repo(t *testing.T) *kubetree.Repo {
	t.Helper()
	v, err := versions.LoadRoot("../..")
	if err != nil {
		t.Fatal(err)
	}
	return &kubetree.Repo{Root: "../..", Output: t.TempDir(), Versions: v}
}

func TestOptions(t *testing.T) {
	other := map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]
	for name, test := range map[string]struct {
		o    Options
		want string
	}{
		"as little as there is":          {Options{Arm: verdict.Fixed}, ""},
		"unknown minor":                  {Options{Arm: verdict.Fixed, Minor: "v1.1"}, "v1.37"},
		"no arm":                         {Options{}, "stock, fixed"},
		"unknown source":                 {Options{Arm: verdict.Fixed, From: "air"}, "modules, image and tarball"},
		"no image":                       {Options{Arm: verdict.Fixed, From: FromImage}, "name the image"},
		"no tarball":                     {Options{Arm: verdict.Fixed, From: FromTarball}, "name the tarball"},
		"a name for modules":             {Options{Arm: verdict.Fixed, Source: "kindest/node:v1"}, "no source to name"},
		"a checksum of no tarball":       {Options{Arm: verdict.Fixed, SHA512: "00"}, "apply to a tarball"},
		"a file nowhere":                 {Options{Arm: verdict.Fixed, File: "/no/such/directory/x.tar"}, "does not exist"},
		"no tag":                         {Options{Arm: verdict.Fixed, Image: "node"}, "want [registry/]name:tag"},
		"a plus in the tag":              {Options{Arm: verdict.Fixed, Image: "node:v1+2"}, "want [registry/]name:tag"},
		"an option for a name":           {Options{Arm: verdict.Fixed, Image: "--rm:x"}, "want [registry/]name:tag"},
		"registry with a port":           {Options{Arm: verdict.Fixed, Image: "localhost:5000/a/node:v1", Push: true}, ""},
		"unknown architecture":           {Options{Arm: verdict.Fixed, Arch: "mips"}, "amd64 and arm64"},
		"foreign architecture":           {Options{Arm: verdict.Fixed, Arch: other}, "--from image"},
		"foreign, but only the kubelet":  {Options{Arm: verdict.Fixed, Arch: other, From: FromImage, Source: "x:y"}, ""},
		"push to nowhere":                {Options{Arm: verdict.Fixed, Push: true}, "reserved name"},
		"push without a registry":        {Options{Arm: verdict.Fixed, Push: true, Image: "node:v1"}, "names no registry"},
		"push to a user, of no registry": {Options{Arm: verdict.Fixed, Push: true, Image: "me/node:v1"}, "names no registry"},
		"older than the containerd":      {Options{Arm: verdict.Fixed, Minor: "v1.22"}, "--from image"},
		"older, but only the kubelet":    {Options{Arm: verdict.Fixed, Minor: "v1.22", From: FromImage, Source: "x:y"}, ""},
		"push":                           {Options{Arm: verdict.Fixed, Push: true, Image: "registry.example/me/node:v1"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			test.o.Repo = repo(t)
			err := test.o.Check()
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func TestDefaultImage(t *testing.T) {
	m := versions.Minor{Kubernetes: "v1.37.2", Revision: 3}
	names := map[string]bool{}
	for arm, want := range map[verdict.Arm]string{verdict.Stock: Repository + ":v1.37.2-stock-", verdict.Fixed: Repository + ":v1.37.2_grace.3-"} {
		for _, arch := range Arches {
			got := DefaultImage(m, arm, arch)
			if got != want+arch || !imageName.MatchString(got) {
				t.Errorf("%s: %s, want %s", arm, got, want+arch)
			}
			names[got] = true
		}
	}
	if len(names) != 4 {
		t.Errorf("one image replaces another: %v", names)
	}
}

// The name has the architecture of the source, which is known only once the source is found.
func TestNameOfForeignImage(t *testing.T) {
	b := &builder{o: Options{Arm: verdict.Fixed}, m: versions.Minor{Kubernetes: "v1.37.2", Revision: 3}, arch: "amd64"}
	b.arch = "arm64"
	if got := b.image(); got != Repository+":v1.37.2_grace.3-arm64" {
		t.Errorf("the default is %s", got)
	}
	b.o.Image = "example.test/node:v1"
	if got := b.image(); got != b.o.Image {
		t.Errorf("%s, want the name that was asked for", got)
	}
}

// kind builds images as a program and clusters as a package; both must have the same version.
func TestOneKind(t *testing.T) {
	data, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, p, err := repo(t).Versions.ProgramOf("kind")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range mod.Require {
		if r.Mod.Path == p.Module {
			if r.Mod.Version != p.Version {
				t.Errorf("go.mod has kind %s, versions.yaml %s", r.Mod.Version, p.Version)
			}
			return
		}
	}
	t.Errorf("go.mod does not require %s", p.Module)
}

func TestGivenImages(t *testing.T) {
	given := map[verdict.Arm]string{verdict.Stock: "a:1", verdict.Fixed: "b:2"}
	if got, err := Images(t.Context(), Options{}, []verdict.Arm{verdict.Fixed}, given); err != nil || len(got) != 1 || got[verdict.Fixed] != "b:2" {
		t.Errorf("got %v, %v", got, err)
	}
}
