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

package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
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
)

var day = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// entries reads a tar: the names in their order, and the contents.
func entriesOf(t *testing.T, file string) (order []string, content map[string][]byte, headers map[string]*tar.Header) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content, headers = map[string][]byte{}, map[string]*tar.Header{}
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return order, content, headers
		}
		if err != nil {
			t.Fatal(err)
		}
		order = append(order, h.Name)
		headers[h.Name] = h
		if content[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

func layer(t *testing.T, dir, name string, entries ...Entry) Layer {
	t.Helper()
	l, err := WriteLayer(filepath.Join(dir, name), day, entries)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLayer(t *testing.T) {
	dir := t.TempDir()
	l := layer(t, dir, "a", Entry{Path: "/usr/bin/b", Mode: 0o755, Data: []byte("b")}, Entry{Path: "/etc/link", Link: "/usr/bin/b"}, Entry{Path: "/a", Data: []byte("a")})
	order, content, headers := entriesOf(t, l.File)
	if got := strings.Join(order, " "); got != "a etc/ etc/link usr/ usr/bin/ usr/bin/b" {
		t.Errorf("%s", got)
	}
	if h := headers["usr/bin/b"]; h.Mode != 0o755 || h.Uid != 0 || !h.ModTime.Equal(day) || string(content["usr/bin/b"]) != "b" {
		t.Errorf("%+v", h)
	}
	if h := headers["etc/link"]; h.Typeflag != tar.TypeSymlink || h.Linkname != "/usr/bin/b" {
		t.Errorf("%+v", h)
	}
	data, err := os.ReadFile(l.File)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(data); l.DiffID != "sha256:"+hex.EncodeToString(sum[:]) || l.Size != int64(len(data)) {
		t.Errorf("%+v is not what the file is", l)
	}
	if opened, err := OpenLayer(l.File); err != nil || opened != l {
		t.Errorf("%+v, %v, want %+v", opened, err, l)
	}
	small, err := l.Compress()
	if err != nil || small.DiffID != l.DiffID || small.Size >= l.Size {
		t.Errorf("%+v, %v; it was %+v", small, err, l)
	}
	if plain := gunzip(t, small.File); !bytes.Equal(plain, data) {
		t.Error("compressed, it is another tar")
	}
	if _, err := os.Stat(l.File); err == nil {
		t.Error("the layer is there twice")
	}
	for _, bad := range [][]Entry{{{Path: "/a"}, {Path: "/a"}}, {{Path: "a"}}, {{Path: "/a", From: filepath.Join(dir, "none")}}, {{Path: "/a", From: dir}}} {
		if _, err := WriteLayer(filepath.Join(dir, "bad"), day, bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

func gunzip(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	gz, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(gz)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What kind and containerd read, in the order in which they read it.
func TestArchive(t *testing.T) {
	dir := t.TempDir()
	shared, own := layer(t, dir, "shared", Entry{Path: "/s", Data: []byte("s")}), layer(t, dir, "own", Entry{Path: "/o", Data: []byte("o")})
	file := filepath.Join(dir, "image.tar")
	images := []Image{
		{Name: "registry.example:5000/a/proxy:v1.37.2", Arch: "amd64", Layers: []Layer{shared, own}, Entrypoint: []string{"/o"}},
		{Name: "registry.example:5000/a/proxy:v2", Arch: "amd64", Layers: []Layer{shared, own}, Entrypoint: []string{"/o"}},
		{Name: "docker.example/b/net:v9", Arch: "amd64", Layers: []Layer{shared}, Env: []string{"PATH=/bin"}},
	}
	if err := Write(file, day, images); err != nil {
		t.Fatal(err)
	}
	order, content, _ := entriesOf(t, file)
	if order[0] != "repositories" || order[1] != "manifest.json" {
		t.Fatalf("kind takes the tags of what comes first: %v", order)
	}
	if len(order) != 2+2+2 {
		t.Errorf("what images share is there once: %v", order)
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
		if m.RepoTags[0] != images[i].Name || c.OS != "linux" || c.Architecture != "amd64" || !c.Created.Equal(day) {
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
	if err := Write(again, day, images); err != nil {
		t.Fatal(err)
	}
	a, _ := os.ReadFile(file)
	if b, _ := os.ReadFile(again); len(a) == 0 || !bytes.Equal(a, b) {
		t.Error("two archives of the same differ")
	}
}

func TestArchivesThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	l := layer(t, dir, "l", Entry{Path: "/x"})
	file := filepath.Join(dir, "x.tar")
	for name, images := range map[string][]Image{
		"no images":     nil,
		"no layer":      {{Name: "r.example/a:v1"}},
		"there twice":   {{Name: "r.example/a:v1", Layers: []Layer{l}}, {Name: "r.example/a:v1", Layers: []Layer{l}}},
		"no registry":   {{Name: "kindest/node:v1", Layers: []Layer{l}}},
		"want registry": {{Name: "r.example:5000/a", Layers: []Layer{l}}},
	} {
		if err := Write(file, day, images); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
}
