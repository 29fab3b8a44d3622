// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/docker"
	"github.com/kgrace/kgrace/internal/imagefile"
	"github.com/kgrace/kgrace/internal/tool"
)

// unwanted are Debian's units that serve no purpose in a container. As in kind's own base image, only the units that are
// enabled there run.
var unwanted = []string{
	"/usr/lib/systemd/system/sysinit.target.wants/systemd-tmpfiles-setup.service",
	"/usr/lib/systemd/system/multi-user.target.wants/*",
	"/usr/lib/systemd/system/local-fs.target.wants/*",
	"/usr/lib/systemd/system/sockets.target.wants/*udev*",
	"/usr/lib/systemd/system/sockets.target.wants/*initctl*",
	"/usr/lib/systemd/system/basic.target.wants/*",
	"/etc/systemd/system/*.wants/*",
}

const journald = "/etc/systemd/journald.conf"

// baseEntries returns the files of the base image on top of Debian: kind's files, the runtime, and the results of the
// commands that kind's Dockerfile runs in a container.
func baseEntries(ctx context.Context, kindDir string, bin map[string]string) ([]imagefile.File, error) {
	entries, err := kindFiles(filepath.Join(kindDir, "images", "base", "files"))
	if err != nil {
		return nil, err
	}
	spec, err := runtimeSpec(ctx, bin["ctr"])
	if err != nil {
		return nil, err
	}
	entries = append(entries,
		imagefile.File{Path: "/etc/containerd/cri-base.json", Data: spec},
		imagefile.File{Path: "/usr/sbin/init", Link: "/usr/lib/systemd/systemd"},
		imagefile.File{Path: "/etc/systemd/system/systemd-binfmt.service", Link: "/dev/null"},
		imagefile.File{Path: "/etc/kubernetes/manifests", Dir: true},
	)
	for _, unit := range []string{"kubelet.service", "containerd.service", "undo-mount-hacks.service"} {
		entries = append(entries, imagefile.File{Path: "/etc/systemd/system/multi-user.target.wants/" + unit, Link: "/etc/systemd/system/" + unit})
	}
	for dir, programs := range map[string][]string{
		"/usr/local/bin":  {"containerd", "containerd-shim-runc-v2", "ctr", "crictl"},
		"/usr/local/sbin": {"runc"},
		"/opt/cni/bin":    cniPlugins,
	} {
		for _, p := range programs {
			entries = append(entries, imagefile.File{Path: path.Join(dir, p), Mode: 0o755, From: bin[p]})
		}
	}
	return entries, nil
}

// kindFiles returns the files of kind's base image, with the modes that its Dockerfile sets.
func kindFiles(dir string) ([]imagefile.File, error) {
	var entries []imagefile.File
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		e := imagefile.File{Path: "/" + filepath.ToSlash(rel), Mode: 0o644, From: file}
		if top := path.Dir(e.Path); top == "/usr/local/bin" || top == "/kind/bin" {
			e.Mode = 0o755
		}
		if rel == strings.TrimPrefix(containerdConfig, "images/base/files/") {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if e.Data, err = restrictOOM(data); err != nil {
				return err
			}
			e.From = ""
		}
		entries = append(entries, e)
		return nil
	})
	if err == nil && len(entries) == 0 {
		err = errors.New("no files")
	}
	if err != nil {
		return nil, fmt.Errorf("kind's base image files in %s: %w", dir, err)
	}
	return entries, nil
}

// restrictOOM makes containerd never give a pod a lower OOM score than its own, because that needs CAP_SYS_RESOURCE and
// nodes of this image must run without it.
func restrictOOM(config []byte) ([]byte, error) {
	const from, to = "restrict_oom_score_adj = false", "restrict_oom_score_adj = true"
	if strings.Count(string(config), from) != 1 {
		return nil, fmt.Errorf("want one %q in %s", from, containerdConfig)
	}
	return []byte(strings.Replace(string(config), from, to, 1)), nil
}

// runtimeSpec returns the OCI spec that kind starts every container from: containerd's default with a hook and without
// limits.
func runtimeSpec(ctx context.Context, ctr string) ([]byte, error) {
	out, err := tool.Run(ctx, tool.Cmd{Dir: os.TempDir(), Env: os.Environ(), Args: []string{ctr, "oci", "spec"}})
	if err != nil {
		return nil, err
	}
	var spec map[string]any
	if err := json.Unmarshal([]byte(out), &spec); err != nil {
		return nil, fmt.Errorf("ctr oci spec: %w", err)
	}
	hooks, _ := spec["hooks"].(map[string]any)
	if hooks == nil {
		hooks = map[string]any{}
	}
	before, _ := hooks["createContainer"].([]any)
	hooks["createContainer"] = append(before, map[string]any{"path": "/kind/bin/mount-product-files.sh"})
	spec["hooks"] = hooks
	if process, ok := spec["process"].(map[string]any); ok {
		delete(process, "rlimits")
	}
	return json.MarshalIndent(spec, "", "  ")
}

// importBase creates an image from the root filesystem and the entries.
func importBase(ctx context.Context, e *docker.Engine, image, rootfs string, entries []imagefile.File, at time.Time) error {
	r, w := io.Pipe()
	go func() { w.CloseWithError(writeBase(w, rootfs, entries, at)) }()
	defer r.Close()
	return e.Import(ctx, r, image,
		"ENV container=docker",     // systemd looks for it
		"LABEL "+LabelManifest+"=", // empty until a later build sets it; derived images inherit the label, by which Prune finds them
		`ENTRYPOINT [ "/usr/local/bin/entrypoint", "/sbin/init" ]`)
}

// writeBase copies the root filesystem without the unwanted files, then writes the entries, which take precedence.
func writeBase(to io.Writer, rootfs string, entries []imagefile.File, at time.Time) error {
	ours := map[string]bool{}
	for _, e := range entries {
		ours[e.Path] = true
	}
	f, err := os.Open(rootfs)
	if err != nil {
		return err
	}
	defer f.Close()
	tw := tar.NewWriter(to)
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", rootfs, err)
		}
		name := path.Clean("/" + h.Name)
		if ours[name] && h.Typeflag != tar.TypeDir || isUnwanted(name) {
			continue
		}
		if name == journald {
			data, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			// The kernel's messages belong to the machine, not to the node.
			if err := imagefile.WriteEntries(tw, at, imagefile.File{Path: name, Data: append(data, "ReadKMsg=no\n"...)}); err != nil {
				return err
			}
			continue
		}
		if err := tw.WriteHeader(h); err != nil {
			return err
		}
		if _, err := io.Copy(tw, r); err != nil {
			return err
		}
	}
	if err := imagefile.WriteEntries(tw, at, entries...); err != nil {
		return err
	}
	return tw.Close()
}

func isUnwanted(name string) bool {
	for _, pattern := range unwanted {
		if ok, _ := path.Match(pattern, name); ok {
			return true
		}
	}
	return false
}
