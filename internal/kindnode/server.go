// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kgrace/kgrace/internal/bare/rootfs"
	"github.com/kgrace/kgrace/internal/imagefile"
)

const (
	// serverBin is the directory of the programs in the server tarball.
	serverBin = "/kubernetes/server/bin/"
	imagePath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	kubelet   = "kubelet"
)

// noKubelet takes the kubelet's place in the tarball, where kind expects one. The arm's kubelet is added last, on top of
// what both arms share.
var noKubelet = imagefile.File{Path: serverBin + kubelet, Mode: 0o755, Data: []byte("#!/bin/sh\necho 'this image was never given its kubelet' >&2\nexit 1\n")}

// Layers that contain no program of their own.
const (
	netLayer   = "net"   // the programs and libraries with which kube-proxy and kindcni run iptables
	emptyLayer = "empty" // a note, in placeholders for images that are not available
)

// serverTarball builds the equivalent of Kubernetes' server tarball, as far as kind reads it. The last of the four archives
// also contains the images of everything else that runs in pods, because kind would pull images that are in none of them.
func (b *builder) serverTarball(ctx context.Context, c *contents, at time.Time) (string, error) {
	layers, err := b.layers(ctx, c, at)
	if err != nil {
		return "", err
	}
	image := func(name, program string, below ...string) imagefile.Image {
		i := imagefile.Image{Names: []string{name}, Arch: b.arch, Env: []string{imagePath}, Entrypoint: []string{"/usr/local/bin/" + program}}
		for _, l := range append(below, program) {
			i.Layers = append(i.Layers, layers[l])
		}
		return i
	}
	n := c.names
	others := []imagefile.Image{image(n.kubeadm["etcd"], "etcd"), image(n.kubeadm["coredns"], "coredns"), image(n.pause, "pause"), image(n.network, "kindcni", netLayer)}
	for _, name := range n.storage {
		others = append(others, imagefile.Image{Names: []string{name}, Arch: b.arch, Layers: []imagefile.Layer{layers[emptyLayer]}, Entrypoint: []string{"/README"}})
	}
	entries := []imagefile.File{{Path: "/kubernetes/version", Data: []byte(b.m.Kubernetes + "\n")}, noKubelet}
	for _, p := range []string{"kubeadm", "kubectl"} {
		entries = append(entries, imagefile.File{Path: serverBin + p, Mode: 0o755, From: b.bin[p]})
	}
	for program, images := range map[string][]imagefile.Image{
		"kube-apiserver":          {image(n.kubeadm["kube-apiserver"], "kube-apiserver")},
		"kube-controller-manager": {image(n.kubeadm["kube-controller-manager"], "kube-controller-manager")},
		"kube-scheduler":          {image(n.kubeadm["kube-scheduler"], "kube-scheduler")},
		"kube-proxy":              append([]imagefile.Image{image(n.kubeadm["kube-proxy"], "kube-proxy", netLayer)}, others...),
	} {
		file := filepath.Join(b.tmp, program+".tar")
		defer os.Remove(file) // to save disk space
		if err := writeImages(file, at, images); err != nil {
			return "", err
		}
		entries = append(entries, imagefile.File{Path: serverBin + program + ".tar", From: file})
	}
	for _, l := range layers {
		if err := os.Remove(l.File); err != nil {
			return "", err
		}
	}
	file := filepath.Join(b.tmp, "kubernetes-server-linux-"+b.arch+".tar.gz")
	return file, writeTarball(file, at, entries)
}

// layers writes the layers of all images, as many concurrently as the machine has processors. It compresses them, which
// takes most of the time here and halves the size of nodes.
func (b *builder) layers(ctx context.Context, c *contents, at time.Time) (map[string]*imagefile.Packed, error) {
	programs := []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "etcd", "coredns", "pause", "kindcni"}
	names := append([]string{netLayer, emptyLayer}, programs...)
	made := make([]*imagefile.Packed, len(names))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.NumCPU())
	for i, name := range names {
		g.Go(func() (err error) {
			if err := ctx.Err(); err != nil {
				return err
			}
			file := filepath.Join(b.tmp, name+".layer")
			switch name {
			case netLayer:
				if err := rootfs.Pick(c.root, file, c.packages, netPackages, at); err != nil {
					return err
				}
				made[i], err = imagefile.OpenPacked(file)
			case emptyLayer:
				made[i], err = imagefile.Files{{Path: "/README",
					Data: []byte("This image holds nothing. It stands where kind expects one that a node without a network cannot pull.\n")}}.Pack(file, at)
			default:
				made[i], err = imagefile.Files{{Path: "/usr/local/bin/" + name, Mode: 0o755, From: b.bin[name]}}.Pack(file, at)
			}
			if err == nil {
				made[i], err = made[i].Compress()
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	layers := map[string]*imagefile.Packed{}
	for i, name := range names {
		layers[name] = made[i]
	}
	return layers, nil
}
