// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package imagefile

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// entries reads a tar: name to content.
func entries(t *testing.T, data []byte) (names []string, content map[string][]byte, headers map[string]*tar.Header) {
	t.Helper()
	content, headers = map[string][]byte{}, map[string]*tar.Header{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names, content, headers
		}
		if err != nil {
			t.Fatal(err)
		}
		if content[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		names, headers[h.Name] = append(names, h.Name), h
	}
}

func TestImagesShareALayer(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("#!"), 0o700); err != nil {
		t.Fatal(err)
	}
	shared := &Files{{Path: "/tmp", Dir: true, Mode: 0o1777}, File{Path: "/bin/sh", Mode: 0o755, From: program}, File{Path: "/bin/ls", Link: "sh"}}
	own := &Files{{Path: "/etc/passwd", Data: []byte("root:x:0:0::/:/bin/sh\n")}}
	images := []Image{
		{Names: []string{"example.org/a:1"}, Layers: []Layer{shared}, Entrypoint: []string{"/bin/sh"}, Arch: "arm64"},
		{Names: []string{"example.org/b:1", "example.org/b:2"}, Layers: []Layer{shared, own}, Cmd: []string{"x"}, User: "65534", Arch: "arm64"},
	}
	file := filepath.Join(dir, "images.tar")
	if err := WriteFile(file, time.Time{}, images...); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(file, time.Time{}, images...); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(file); err != nil || !bytes.Equal(data, again) {
		t.Errorf("equal images, other bytes (%v)", err)
	}
	names, content, _ := entries(t, data)
	if len(names) != 6 { // two layers, two configurations, the manifest, the tags
		t.Errorf("entries %q", names)
	}
	var manifests []struct {
		Config           string
		RepoTags, Layers []string
	}
	if err := json.Unmarshal(content["manifest.json"], &manifests); err != nil {
		t.Fatal(err)
	}
	if len(manifests) != 2 || manifests[0].Layers[0] != manifests[1].Layers[0] || len(manifests[1].Layers) != 2 {
		t.Fatalf("manifests %+v", manifests)
	}
	if diff := cmp.Diff([]string{"example.org/b:1", "example.org/b:2"}, manifests[1].RepoTags); diff != "" {
		t.Error(diff)
	}
	for i, m := range manifests {
		var config struct {
			Architecture string
			Config       struct{ Entrypoint, Cmd []string }
			Rootfs       struct {
				Diff []string `json:"diff_ids"`
			}
		}
		if err := json.Unmarshal(content[m.Config], &config); err != nil {
			t.Fatal(err)
		}
		for j, layer := range m.Layers {
			sum := sha256.Sum256(content[layer])
			if got := "sha256:" + hex.EncodeToString(sum[:]); config.Rootfs.Diff[j] != got {
				t.Errorf("image %d: layer %d is %s, the configuration lists %s", i, j, got, config.Rootfs.Diff[j])
			}
		}
		if config.Architecture != "arm64" {
			t.Errorf("architecture %q", config.Architecture)
		}
	}
	names, _, headers := entries(t, content[manifests[0].Layers[0]])
	if diff := cmp.Diff([]string{"bin/", "bin/ls", "bin/sh", "tmp/"}, names); diff != "" {
		t.Error(diff)
	}
	if headers["tmp/"].Mode != 0o1777 || headers["bin/sh"].Mode != 0o755 || headers["bin/ls"].Linkname != "sh" {
		t.Errorf("modes %o %o, link %q", headers["tmp/"].Mode, headers["bin/sh"].Mode, headers["bin/ls"].Linkname)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".images.tar-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWhatNoRuntimeWouldTakeIsRefused(t *testing.T) {
	good := []Layer{&Files{{Path: "/a"}}}
	of := func(files ...File) Image {
		l := Files(files)
		return Image{Names: []string{"a:1"}, Layers: []Layer{&l}}
	}
	for name, tc := range map[string]struct {
		image Image
		want  string
	}{
		"no name":             {Image{Layers: good}, "want a name"},
		"no tag":              {Image{Names: []string{"example.org:5000/a"}, Layers: good}, "want name:tag"},
		"a digest":            {Image{Names: []string{"a:1@sha256:00"}, Layers: good}, "without a digest"},
		"no layer":            {Image{Names: []string{"a:1"}}, "a layer"},
		"a path to the up":    {of(File{Path: "/../a"}), "clean path"},
		"a relative path":     {of(File{Path: "a"}), "clean path"},
		"a file twice":        {of(File{Path: "/a"}, File{Path: "/a"}), "twice"},
		"a file as directory": {of(File{Path: "/a"}, File{Path: "/a/b"}), "not a directory"},
		"a missing file":      {of(File{Path: "/a", From: "/nonexistent"}), "no such file"},
		"a directory to copy": {of(File{Path: "/a", From: os.TempDir()}), "not a regular file"},
		"the root itself":     {of(File{Path: "/", Dir: true}), "clean path"},
		"an empty tag":        {Image{Names: []string{"a:"}, Layers: good}, "want name:tag"},
		"a name twice":        {Image{Names: []string{"a:1", "a:1"}, Layers: good}, "occurs twice"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "images.tar")
			if err := WriteFile(file, time.Time{}, tc.image); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			if _, err := os.Stat(file); !os.IsNotExist(err) {
				t.Errorf("half a file: %v", err)
			}
		})
	}
	if err := WriteFile(filepath.Join(t.TempDir(), "x.tar"), time.Time{}); err == nil {
		t.Error("a file without images")
	}
}

// The entries that kind and containerd read, in the order in which they read them.
func TestArchive(t *testing.T) {
	dir := t.TempDir()
	shared, own := pack(t, dir, "shared", File{Path: "/s", Data: []byte("s")}), pack(t, dir, "own", File{Path: "/o", Data: []byte("o")})
	file := filepath.Join(dir, "image.tar")
	images := []Image{
		{Names: []string{"registry.example:5000/a/proxy:v1.37.2"}, Arch: "amd64", Layers: []Layer{shared, own}, Entrypoint: []string{"/o"}},
		{Names: []string{"registry.example:5000/a/proxy:v2"}, Arch: "amd64", Layers: []Layer{shared, own}, Entrypoint: []string{"/o"}},
		{Names: []string{"docker.example/b/net:v9"}, Arch: "amd64", Layers: []Layer{shared}, Env: []string{"PATH=/bin"}},
	}
	if err := WriteFile(file, day, images...); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	order, content, _ := entries(t, written)
	if order[0] != "repositories" || order[1] != "manifest.json" {
		t.Fatalf("kind uses the first list of tags: %v", order)
	}
	if len(order) != 2+2+2 {
		t.Errorf("images must share one layer: %v", order)
	}
	var repositories map[string]map[string]string
	var manifest []manifestEntry
	if err := errors.Join(json.Unmarshal(content["repositories"], &repositories), json.Unmarshal(content["manifest.json"], &manifest)); err != nil {
		t.Fatal(err)
	}
	if len(repositories["registry.example:5000/a/proxy"]) != 2 || repositories["docker.example/b/net"]["v9"] == "" {
		t.Errorf("%v", repositories)
	}
	for i, m := range manifest {
		var c config
		if err := json.Unmarshal(content[m.Config], &c); err != nil {
			t.Fatal(err)
		}
		if m.RepoTags[0] != images[i].Names[0] || c.OS != "linux" || c.Architecture != "amd64" || !c.Created.Equal(day) {
			t.Errorf("%+v: %+v", m, c)
		}
		sum := sha256.Sum256(content[m.Config])
		if m.Config != hex.EncodeToString(sum[:])+".json" {
			t.Errorf("%s is not named by its content", m.Config)
		}
		for j, l := range m.Layers {
			sum := sha256.Sum256(content[l])
			if c.RootFS.DiffIDs[j] != "sha256:"+hex.EncodeToString(sum[:]) {
				t.Errorf("layer %s is not %s", l, c.RootFS.DiffIDs[j])
			}
		}
	}
	again := filepath.Join(dir, "again.tar")
	if err := WriteFile(again, day, images...); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(again); err != nil || !bytes.Equal(written, b) {
		t.Error("two archives of the same differ")
	}
}
