// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package imagefile

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var day = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func pack(t *testing.T, dir, name string, files ...File) *Packed {
	t.Helper()
	p, err := Files(files).Pack(filepath.Join(dir, name), day)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPacked(t *testing.T) {
	dir := t.TempDir()
	l := pack(t, dir, "a", File{Path: "/usr/bin/b", Mode: 0o755, Data: []byte("b")}, File{Path: "/etc/link", Link: "/usr/bin/b"}, File{Path: "/a", Data: []byte("a")})
	data, err := os.ReadFile(l.File)
	if err != nil {
		t.Fatal(err)
	}
	order, content, headers := entries(t, data)
	if got := strings.Join(order, " "); got != "a etc/ etc/link usr/ usr/bin/ usr/bin/b" {
		t.Errorf("%s", got)
	}
	if h := headers["usr/bin/b"]; h.Mode != 0o755 || h.Uid != 0 || !h.ModTime.Equal(day) || string(content["usr/bin/b"]) != "b" {
		t.Errorf("%+v", h)
	}
	if h := headers["etc/link"]; h.Typeflag != tar.TypeSymlink || h.Linkname != "/usr/bin/b" {
		t.Errorf("%+v", h)
	}
	if sum := sha256.Sum256(data); l.DiffID != "sha256:"+hex.EncodeToString(sum[:]) || l.Size != int64(len(data)) {
		t.Errorf("%+v is not what the file is", l)
	}
	if opened, err := OpenPacked(l.File); err != nil || *opened != *l {
		t.Errorf("%+v, %v, want %+v", opened, err, l)
	}
	small, err := l.Compress()
	if err != nil || small.DiffID != l.DiffID || small.Size >= l.Size {
		t.Errorf("%+v, %v; it was %+v", small, err, l)
	}
	if plain := gunzip(t, small.File); !bytes.Equal(plain, data) {
		t.Error("the compressed file contains another tar")
	}
	if _, err := os.Stat(l.File); err == nil {
		t.Error("the layer occurs twice")
	}
	for _, bad := range []Files{{{Path: "/a"}, {Path: "/a"}}, {{Path: "a"}}, {{Path: "/a", From: filepath.Join(dir, "none")}}, {{Path: "/a", From: dir}}} {
		if _, err := bad.Pack(filepath.Join(dir, "bad"), day); err == nil {
			t.Errorf("%+v is accepted", bad)
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
