// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package rootfs

import (
	"archive/tar"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const status = `Package: iptables
Status: install ok installed
Architecture: amd64
Version: 1.8.9-2
Depends: libxt (>= 1.8), libc6 (>= 2.36), netbase | other:any
Pre-Depends: virtual
Description: tables
 Depends: nothing, this is a text

Package: libxt
Status: install ok installed
Architecture: amd64
Version: 1:1.8.9-2
Source: iptables
Depends: libc6

Package: libc6
Status: install ok installed
Architecture: amd64
Version: 2.36
Provides: virtual (= 1)
Depends: libxt

Package: netbase
Status: deinstall ok config-files
Version: 6

Package: bash
Status: install ok installed
Version: 5.2
`

// tree writes a root filesystem as mmdebstrap does.
func tree(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "root.tar")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tw := tar.NewWriter(f)
	put := func(h tar.Header, data string) {
		h.Size, h.ModTime = int64(len(data)), time.Now()
		if err := tw.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(tw, data); err != nil {
			t.Fatal(err)
		}
	}
	dir := func(name string) { put(tar.Header{Name: name, Typeflag: tar.TypeDir, Mode: 0o755}, "") }
	link := func(name, to string) { put(tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: to}, "") }
	dir("./")
	link("./sbin", "usr/sbin")
	dir("./etc/")
	dir("./etc/alternatives/")
	link("./etc/alternatives/iptables", "/usr/sbin/iptables-nft")
	link("./etc/alternatives/pager", "/usr/bin/less")
	dir("./dev/")
	put(tar.Header{Name: "./dev/null", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3}, "")
	dir("./usr/")
	dir("./usr/sbin/")
	link("./usr/sbin/iptables", "/etc/alternatives/iptables")
	put(tar.Header{Name: "./usr/sbin/iptables-nft", Mode: 0o755, Typeflag: tar.TypeReg}, "nft")
	link("./usr/bin/pager", "/etc/alternatives/pager")
	put(tar.Header{Name: "./usr/lib/libxt.so", Mode: 0o644, Typeflag: tar.TypeReg}, "xt")
	put(tar.Header{Name: "./usr/lib/libc.so", Mode: 0o644, Typeflag: tar.TypeReg}, "c")
	put(tar.Header{Name: "./usr/bin/bash", Mode: 0o755, Typeflag: tar.TypeReg}, "bash")
	put(tar.Header{Name: "./var/lib/dpkg/status", Mode: 0o644, Typeflag: tar.TypeReg}, status)
	for pkg, list := range map[string]string{
		"iptables": "/.\n/etc\n/sbin\n/dev/null\n/sbin/iptables-nft\n/usr/share/doc/iptables\n", "libxt:amd64": "/usr\n/usr/lib/libxt.so\n",
		"libc6:amd64": "/lib/libc.so\n", "bash": "/usr/bin/bash\n"} {
		put(tar.Header{Name: "./var/lib/dpkg/info/" + pkg + ".list", Mode: 0o644, Typeflag: tar.TypeReg}, list)
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestPackages(t *testing.T) {
	all, err := Packages(tree(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range all {
		got = append(got, p.Name+"="+p.Version)
	}
	if s := strings.Join(got, " "); s != "bash=5.2 iptables=1.8.9-2 libc6=2.36 libxt=1:1.8.9-2" {
		t.Errorf("%s", s)
	}
	if _, err := Packages(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing file is accepted as a root filesystem")
	}
	empty := filepath.Join(t.TempDir(), "empty.tar")
	if err := os.WriteFile(empty, make([]byte, 1024), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Packages(empty); err == nil || !strings.Contains(err.Error(), "no installed Debian package") {
		t.Errorf("%v", err)
	}
}

func TestPick(t *testing.T) {
	root := tree(t)
	all, err := Packages(root)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_700_000_000, 0)
	to := filepath.Join(t.TempDir(), "net.tar")
	if err := Pick(root, to, all, []string{"iptables"}, at); err != nil {
		t.Fatal(err)
	}
	var names []string
	if err := walk(to, func(h *tar.Header, _ io.Reader) error {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(h.Name, "./"), "/"))
		if !h.ModTime.Equal(at) {
			t.Errorf("%s is of %s", h.Name, h.ModTime)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	// Includes every kind of dependency and the alternative, but no other packages and no devices.
	want := []string{"sbin", "etc", "etc/alternatives", "etc/alternatives/iptables", "usr", "usr/sbin/iptables", "usr/sbin/iptables-nft", "usr/lib/libxt.so", "usr/lib/libc.so"}
	if !slices.Equal(names, want) {
		t.Errorf("%v\nwant %v", names, want)
	}
	if err := Pick(root, to, all, []string{"netbase"}, at); err == nil || !strings.Contains(err.Error(), "netbase is not in") {
		t.Errorf("%v", err)
	}
}

func TestKeyTellsApart(t *testing.T) {
	if key("amd64") == key("arm64") || len(key("amd64")) != 16 {
		t.Errorf("%s, %s", key("amd64"), key("arm64"))
	}
}
