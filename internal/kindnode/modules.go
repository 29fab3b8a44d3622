// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kgrace/kgrace/internal/bare/rootfs"
	"github.com/kgrace/kgrace/internal/kubebuild"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

var (
	// kubePrograms come from the stock tree on both arms; only the kubelet is the arm's.
	kubePrograms = []string{"kubeadm", "kubectl", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"}
	cniPlugins   = []string{"host-local", "loopback", "portmap", "ptp"}
	// modulePrograms come from modules of their own.
	modulePrograms = append([]string{"coredns", "containerd", "containerd-shim-runc-v2", "crictl", "ctr", "etcd", "kind", "runc"}, cniPlugins...)
	// netPackages are the Debian packages in the images of kube-proxy and kindcni.
	netPackages = []string{"conntrack", "iproute2", "ipset", "iptables", "kmod", "nftables"}
)

// binaries builds those of the named programs that are missing.
func (b *builder) binaries(ctx context.Context, programs []string) error {
	built, err := kubebuild.New(b.o.Repo).BuildAll(ctx, b.o.Minor, []verdict.Arm{b.o.Arm}, programs)
	if err != nil {
		return err
	}
	for _, p := range built {
		b.bin[p.Program] = p.Path
		if p.Program == kubelet {
			continue // the manifest has a field of its own for it
		}
		if err := b.noteProgram(p.Program, p.Version, p.Path); err != nil {
			return err
		}
	}
	return nil
}

// prepare collects what only an image from modules needs, and records all of the image's content except for the kubelet in
// the manifest.
func (b *builder) prepare(ctx context.Context, root string) (*contents, error) {
	names, err := askNames(ctx, b.bin["kubeadm"], b.m.Kubernetes, b.kindDir)
	if err != nil {
		return nil, err
	}
	c := &contents{root: root, names: names}
	if c.packages, err = rootfs.Packages(root); err != nil {
		return nil, err
	}
	b.manifest.Debian = c.packages
	if b.bin["kindcni"], err = b.kindcni(ctx); err != nil {
		return nil, err
	}
	if b.bin["pause"], err = b.pause(ctx); err != nil {
		return nil, err
	}
	for _, p := range []string{"kindcni", "pause"} {
		if err := b.noteProgram(p, "", b.bin[p]); err != nil {
			return nil, err
		}
	}
	for _, name := range names.all() {
		b.manifest.noteImage(name)
	}
	for _, program := range []string{"etcd", "coredns"} {
		_, p, err := b.o.Repo.Versions.ProgramOf(program)
		if err != nil {
			return nil, err
		}
		// Other minors name other versions; versions.yaml pins one for all.
		if name := names.kubeadm[program]; !strings.Contains(name[strings.LastIndexByte(name, ':'):], strings.TrimPrefix(p.Version, "v")) {
			b.manifest.stub(name, program+" "+p.Version)
		}
	}
	b.manifest.stub(names.network, "kindcni, of this project: kindnetd is not on the module proxy")
	for _, name := range names.storage {
		b.manifest.stub(name, "an empty image: kube-controller-manager provisions volumes")
	}
	return c, nil
}

// contents is the result of prepare.
type contents struct {
	root     string // the root filesystem
	packages []rootfs.Package
	names    *imageNames
}

// pause is compiled from Kubernetes' own source, as its release is.
func (b *builder) pause(ctx context.Context) (string, error) {
	tree, err := b.o.Repo.Ensure(ctx, b.o.Minor, verdict.Stock, nil)
	if err != nil {
		return "", err
	}
	to := filepath.Join(b.tmp, "pause")
	_, err = tool.Run(ctx, tool.Cmd{Dir: filepath.Join(tree.Dir, "build", "pause", "linux"), Env: os.Environ(), Args: []string{
		"gcc", "-Os", "-Wall", "-static", "-s", "-DVERSION=" + b.m.Kubernetes, "-o", to, "pause.c"}})
	if err != nil {
		return "", fmt.Errorf("pause: %w (hack/setup.sh installs gcc and libc6-dev)", err)
	}
	return to, nil
}

// kindcni builds the command that replaces kindnetd.
func (b *builder) kindcni(ctx context.Context) (string, error) {
	to := filepath.Join(b.tmp, "kindcni")
	_, err := tool.Go(ctx, b.o.Repo.Root, b.m.Go, []string{"GOARCH=" + b.arch}, "build", "-ldflags=-s -w -buildid=", "-o", to, "./internal/bare/kindcni")
	return to, err
}
