// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/imagefile"
)

// server writes a server tarball with the named files; the content of each is its name, except for the version's.
func server(t *testing.T, version string, names ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubernetes-server-linux-amd64.tar.gz")
	entries := []imagefile.File{{Path: "/kubernetes", Dir: true}, {Path: "/kubernetes/version", Data: []byte(version)}}
	for _, n := range names {
		entries = append(entries, imagefile.File{Path: "/" + n, Mode: 0o755, Data: []byte(n)})
	}
	if err := writeTarball(file, time.Unix(0, 0), entries); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestStrip(t *testing.T) {
	names := append(slices.Clone(serverFiles[2:]), "kubernetes/server/bin/kubelet", "kubernetes/LICENSES/x")
	to := filepath.Join(t.TempDir(), "to.tar.gz")
	version, err := strip(server(t, "v1.37.2\n", names...), to)
	if err != nil || version != "v1.37.2" {
		t.Fatalf("%s, %v", version, err)
	}
	f, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	gz, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for r := tar.NewReader(gz); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(r)
		got[h.Name] = string(data)
	}
	// The tarball's own kubelet never ends up in the image.
	if k := got["kubernetes/server/bin/kubelet"]; !strings.Contains(k, "never given its kubelet") {
		t.Errorf("%q", k)
	}
	if len(got) != len(serverFiles)-1+1 || got["kubernetes/version"] != "v1.37.2\n" || got["kubernetes/server/bin/kube-proxy.tar"] != "kubernetes/server/bin/kube-proxy.tar" {
		t.Errorf("%q", got)
	}
}

func TestTarballsThatAreNone(t *testing.T) {
	to := filepath.Join(t.TempDir(), "to.tar.gz")
	plain := filepath.Join(t.TempDir(), "plain")
	write(t, filepath.Dir(plain), "plain", "hello")
	for want, file := range map[string]string{
		"want a kubernetes-server-linux-ARCH.tar.gz": plain,
		"contains no kubernetes/server/bin/kubeadm":  server(t, "v1.37.2"),
		"contains no Kubernetes version":             server(t, "today", serverFiles[2:]...),
		"no such file":                               plain + ".none",
	} {
		if _, err := strip(file, to); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestChecksum(t *testing.T) {
	file := server(t, "v1.37.2")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	raw := sha512.Sum512(data)
	sum := hex.EncodeToString(raw[:])
	if _, err := checkTarball(file, ""); err == nil || !strings.Contains(err.Error(), "give --sha512") {
		t.Errorf("without a checksum: %v", err)
	}
	for _, bad := range []string{"00", sum[1:] + "g", strings.Repeat("0", 128)} {
		if _, err := checkTarball(file, bad); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
	if got, err := checkTarball(file, strings.ToUpper(sum)); err != nil || got != sum {
		t.Errorf("%s, %v", got, err)
	}
	// As sha512sum writes it, and as releases do.
	for _, beside := range []string{sum + "  " + file + "\n", sum} {
		if err := os.WriteFile(file+".sha512", []byte(beside), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := checkTarball(file, ""); err != nil || got != sum {
			t.Errorf("%s, %v", got, err)
		}
	}
	if err := os.WriteFile(file+".sha512", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := checkTarball(file, ""); err == nil || !strings.Contains(err.Error(), "is empty") {
		t.Errorf("%v", err)
	}
}
