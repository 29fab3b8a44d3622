// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kgrace/kgrace/internal/bare/rootfs"
	"github.com/kgrace/kgrace/internal/docker"
	"github.com/kgrace/kgrace/internal/imagefile"
)

// file is a file that is copied into the image.
type file = imagefile.File

// storageClass replaces kind's storage manifest, whose local-path provisioner a build from modules does not have. kind turns
// on the provisioner in kube-controller-manager; its volumes are directories under /tmp/hostpath_pv of whichever node a pod runs
// on, so a pod that moves finds an empty one.
var storageClass = file{Path: "/kind/manifests/default-storage.yaml", Data: []byte(`apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: standard
  annotations:
    storageclass.kubernetes.io/is-default-class: "true"
provisioner: kubernetes.io/host-path
reclaimPolicy: Delete
`)}

// stopSignal is the signal on which systemd shuts down; on SIGTERM it re-executes itself.
const stopSignal = "SIGRTMIN+3"

// finish adds the arm's kubelet, the files and the documents to the image raw, and gives the result its name and labels.
func (b *builder) finish(ctx context.Context, raw string, files ...file) (*Result, error) {
	files = append([]file{{Path: b.manifest.Kubelet.Path, Mode: 0o755, From: b.bin[kubelet]}}, files...)
	papers, err := b.writePapers()
	if err != nil {
		return nil, err
	}
	for _, p := range papers {
		files = append(files, file{Path: DocDir + "/" + filepath.Base(p), From: p})
	}
	labels, err := b.manifest.labels()
	if err != nil {
		return nil, err
	}
	var changes []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		changes = append(changes, "LABEL "+name+"="+strconv.Quote(labels[name]))
	}
	r, w := io.Pipe()
	go func() {
		tw := tar.NewWriter(w)
		if err := imagefile.WriteEntries(tw, b.manifest.date, files...); err != nil {
			w.CloseWithError(err)
			return
		}
		w.CloseWithError(tw.Close())
	}()
	defer r.Close()
	old, err := b.e.Inspect(ctx, b.image())
	if err != nil {
		return nil, err
	}
	image := old
	if old != nil && !b.o.Rebuild && old.Config.Labels[LabelManifest] == labels[LabelManifest] {
		b.say("the image exists already, with the same inputs")
	} else if image, err = b.derive(ctx, raw, r, changes); err != nil {
		return nil, err
	}
	return &Result{Image: b.image(), ID: image.ID, Size: image.Size, Arch: image.Arch, Arm: b.o.Arm,
		Kubelet: b.manifest.Kubelet.Version, KubeletSHA256: b.manifest.Kubelet.SHA256, KubeletKubernetes: b.manifest.Kubelet.Kubernetes, Kubernetes: b.manifest.Kubernetes,
		Manifest: papers[0], SPDX: papers[1]}, nil
}

func (b *builder) derive(ctx context.Context, raw string, files io.Reader, changes []string) (*docker.Image, error) {
	defer b.step("put the kubelet into the image")()
	if err := b.e.Derive(ctx, raw, b.image(), files, stopSignal, changes...); err != nil {
		return nil, err
	}
	// This also removes the image that had the name before: clusters may have used it until now.
	if err := b.e.Prune(ctx, LabelManifest); err != nil {
		return nil, err
	}
	image, err := b.e.Inspect(ctx, b.image())
	if err == nil && image == nil {
		err = fmt.Errorf("the engine built the image but does not find it: %s", b.image())
	}
	return image, err
}

// writePapers writes the manifest and the SPDX document to a directory named after the image.
func (b *builder) writePapers() ([]string, error) {
	dir := filepath.Join(b.dir, strings.NewReplacer("/", "_", ":", "_").Replace(b.image()))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	manifest, err := b.manifest.json()
	if err != nil {
		return nil, err
	}
	spdx, err := b.manifest.spdx(b.image())
	if err != nil {
		return nil, err
	}
	papers := []string{filepath.Join(dir, "manifest.json"), filepath.Join(dir, "spdx.json")}
	for i, data := range [][]byte{manifest, spdx} {
		if err := os.WriteFile(papers[i], data, 0o644); err != nil {
			return nil, err
		}
	}
	return papers, nil
}

func (b *builder) rootfs(ctx context.Context) (string, error) {
	defer b.step("root filesystem (Debian %s)", rootfs.Suite)()
	return rootfs.Ensure(ctx, b.dir, b.arch, b.o.Refresh, b.o.Progress)
}

func sha256OfBytes(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
