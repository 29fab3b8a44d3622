// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/imagefile"
)

// script writes a program that prints out.
func script(t *testing.T, name, out string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte("#!/bin/sh\ncat <<'END'\n"+out+"\nEND\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

func write(t *testing.T, dir, name, data string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(data), 0o444); err != nil {
		t.Fatal(err)
	}
}

const kindConfig = "version = 2\n  sandbox_image = \"r.example/pause:3.10\"\n  restrict_oom_score_adj = false\n"

// kindModule writes the parts of kind's module that are read.
func kindModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, containerdConfig, kindConfig)
	write(t, dir, "images/base/files/usr/local/bin/entrypoint", "#!/bin/bash\n")
	write(t, dir, "images/base/files/kind/bin/mount.sh", "#!/bin/bash\n")
	write(t, dir, "images/base/files/etc/systemd/system/kubelet.service", "[Unit]\n")
	write(t, dir, "pkg/build/nodeimage/const_cni.go", "package nodeimage\nconst kindnetdImage = \"r.example/net:v1\"\nvar all = []string{kindnetdImage}\n")
	write(t, dir, "pkg/build/nodeimage/const_storage.go", "package nodeimage\nconst (\n\tstorageProvisionerImage = \"r.example/a:v1\"\n\tstorageHelperImage = \"r.example/b:v1\"\n\tn = 1\n\tm = `x` + kindnetdImage\n)\n")
	return dir
}

const kubeadmImages = `r.example/kube-apiserver:v1.37.2
r.example/kube-controller-manager:v1.37.2
r.example/kube-scheduler:v1.37.2
r.example/kube-proxy:v1.37.2
r.example/coredns/coredns:v1.14.6
r.example/pause:3.10.2
r.example/etcd:3.7.0-0`

func TestNames(t *testing.T) {
	n, err := askNames(t.Context(), script(t, "kubeadm", kubeadmImages), "v1.37.2", kindModule(t))
	if err != nil {
		t.Fatal(err)
	}
	if n.kubeadm["coredns"] != "r.example/coredns/coredns:v1.14.6" || n.network != "r.example/net:v1" || n.storage[1] != "r.example/b:v1" {
		t.Errorf("%+v", n)
	}
	// kind uses the pause image of its containerd configuration instead of kubeadm's.
	if all := strings.Join(n.all(), " "); n.pause != "r.example/pause:3.10" || strings.Contains(all, "3.10.2") || len(n.all()) != 10 {
		t.Errorf("%s", all)
	}
	if _, err := askNames(t.Context(), script(t, "kubeadm", "r.example/kube-apiserver:v1"), "v1", kindModule(t)); err == nil || !strings.Contains(err.Error(), "lists no image for kube-controller-manager") {
		t.Errorf("%v", err)
	}
	other := kindModule(t)
	if err := os.Remove(filepath.Join(other, "pkg/build/nodeimage/const_storage.go")); err != nil {
		t.Fatal(err)
	}
	if _, err := askNames(t.Context(), script(t, "kubeadm", kubeadmImages), "v1", other); err == nil || !strings.Contains(err.Error(), "storageHelperImage") {
		t.Errorf("another kind: %v", err)
	}
}

func TestBaseEntries(t *testing.T) {
	bin := map[string]string{"ctr": script(t, "ctr", `{"process":{"args":["sh"],"rlimits":[{"hard":1024}]},"hooks":{"poststop":[]}}`)}
	entries, err := baseEntries(t.Context(), kindModule(t), bin)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]imagefile.File{}
	for _, e := range entries {
		if _, twice := found[e.Path]; twice {
			t.Errorf("%s occurs twice", e.Path)
		}
		found[e.Path] = e
	}
	for path, mode := range map[string]int64{"/usr/local/bin/entrypoint": 0o755, "/kind/bin/mount.sh": 0o755, "/etc/systemd/system/kubelet.service": 0o644, "/opt/cni/bin/ptp": 0o755, "/usr/local/sbin/runc": 0o755} {
		if found[path].Mode != mode {
			t.Errorf("%s has mode %o, want %o", path, found[path].Mode, mode)
		}
	}
	if got := string(found["/etc/containerd/config.toml"].Data); got != strings.Replace(kindConfig, "= false", "= true", 1) {
		t.Errorf("%s", got)
	}
	if e := found["/etc/systemd/system/multi-user.target.wants/containerd.service"]; e.Link != "/etc/systemd/system/containerd.service" {
		t.Errorf("%+v", e)
	}
	var spec struct {
		Process map[string]any
		Hooks   map[string][]struct{ Path string }
	}
	if err := json.Unmarshal(found["/etc/containerd/cri-base.json"].Data, &spec); err != nil {
		t.Fatal(err)
	}
	if spec.Process["rlimits"] != nil || spec.Process["args"] == nil || spec.Hooks["poststop"] == nil || spec.Hooks["createContainer"][0].Path != "/kind/bin/mount-product-files.sh" {
		t.Errorf("%+v", spec)
	}
	if _, err := restrictOOM([]byte("nothing of it")); err == nil {
		t.Error("a configuration without the line is accepted")
	}
}

// Debian's files stay, except for those that are useless in a container; our own take precedence.
func TestWriteBase(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root.tar")
	f, err := os.Create(root)
	if err != nil {
		t.Fatal(err)
	}
	tw := tar.NewWriter(f)
	for _, h := range []tar.Header{
		{Name: "./etc/", Typeflag: tar.TypeDir, Mode: 0o755}, {Name: "./etc/systemd/journald.conf", Typeflag: tar.TypeReg, Mode: 0o644},
		{Name: "./etc/systemd/system/getty.target.wants/getty@tty1.service", Typeflag: tar.TypeSymlink, Linkname: "/x"},
		{Name: "./usr/lib/systemd/system/multi-user.target.wants/dbus.service", Typeflag: tar.TypeSymlink, Linkname: "../dbus.service"},
		{Name: "./usr/lib/systemd/system/sockets.target.wants/systemd-journald.socket", Typeflag: tar.TypeSymlink, Linkname: "../x"},
		{Name: "./usr/lib/systemd/system/dbus.service", Typeflag: tar.TypeReg, Mode: 0o644}, {Name: "./usr/sbin/init", Typeflag: tar.TypeSymlink, Linkname: "/old"},
		{Name: "./dev/null", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3}, {Name: "./bin/su", Typeflag: tar.TypeReg, Mode: 0o4755, Uid: 0},
	} {
		if err := tw.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(tw.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := writeBase(&out, root, []imagefile.File{{Path: "/usr/sbin/init", Link: "/usr/lib/systemd/systemd"}, {Path: "/etc", Dir: true}}, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	var order []string
	for r := tar.NewReader(&out); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(r)
		line := strings.TrimPrefix(h.Name, "./") + h.Linkname + string(data)
		if h.Mode&0o4000 != 0 {
			line += " setuid"
		}
		order = append(order, line)
	}
	want := []string{"etc/", "etc/systemd/journald.confReadKMsg=no\n", "usr/lib/systemd/system/sockets.target.wants/systemd-journald.socket../x",
		"usr/lib/systemd/system/dbus.service", "dev/null", "bin/su setuid", "usr/sbin/init/usr/lib/systemd/systemd", "etc/"}
	if strings.Join(order, "|") != strings.Join(want, "|") {
		t.Errorf("%q\nwant %q", order, want)
	}
}
