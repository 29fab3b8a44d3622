// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/kgrace/kgrace/internal/bare/rootfs"
	"github.com/kgrace/kgrace/internal/docker"
	"github.com/kgrace/kgrace/internal/kubebuild"
	"github.com/kgrace/kgrace/internal/tool"
)

// fromImage replaces the kubelet of a kind node image and changes nothing else.
func (b *builder) fromImage(ctx context.Context) (*Result, error) {
	source, err := b.takeSource(ctx)
	if err != nil {
		return nil, err
	}
	where, version, err := b.lookInside(ctx, source)
	if err != nil {
		return nil, err
	}
	if semver.MajorMinor(version) != b.o.Minor {
		return nil, fmt.Errorf("%s is a node image for Kubernetes %s, but the kubelet is %s: want the same minor (--kubernetes %s, or another image)",
			b.o.Source, version, b.m.Kubernetes, semver.MajorMinor(version))
	}
	b.manifest.Kubernetes = version
	if err := b.kubeletFor(ctx); err != nil {
		return nil, err
	}
	b.manifest.Kubelet.Path = where
	if version != b.m.Kubernetes {
		b.say("%s is of Kubernetes %s; its kubelet is of %s from now on", b.o.Source, version, b.m.Kubernetes)
	}
	return b.finish(ctx, source.ID)
}

// takeSource finds the image in the engine, or pulls it.
func (b *builder) takeSource(ctx context.Context) (*docker.Image, error) {
	ref := b.o.Source
	image, err := b.e.Inspect(ctx, ref)
	if err != nil {
		return nil, err
	}
	if image == nil || b.o.Arch != "" && image.Arch != b.o.Arch {
		done := b.step("pull %s", ref)
		_, err := b.e.Docker(ctx, "pull", "--platform", "linux/"+b.arch, ref)
		done()
		if err != nil {
			return nil, fmt.Errorf("%s is not in the engine for %s, and cannot be pulled: %w\nwithout a network, build from modules: --from modules", ref, b.arch, err)
		}
		if image, err = b.e.Inspect(ctx, ref); err != nil {
			return nil, err
		}
	}
	if image == nil || b.o.Arch != "" && image.Arch != b.o.Arch {
		return nil, fmt.Errorf("%s is not available for %s", ref, b.arch)
	}
	b.arch, b.manifest.Arch = image.Arch, image.Arch
	b.manifest.Source.Ref, b.manifest.Source.ID = ref, image.ID
	if _, digest, ok := strings.Cut(ref, "@"); ok {
		b.manifest.Source.Digest = digest
	} else if len(image.RepoDigests) > 0 {
		_, b.manifest.Source.Digest, _ = strings.Cut(image.RepoDigests[0], "@")
	}
	return image, nil
}

// lookInside returns the path of the kubelet and the Kubernetes version of a node image. If the image's programs run here,
// it runs a container of the image; otherwise it searches the PATH in the image's configuration.
func (b *builder) lookInside(ctx context.Context, image *docker.Image) (kubelet, version string, err error) {
	container := "kgrace-look-" + b.token
	defer b.e.RemoveContainer(ctx, container)
	if image.Arch == b.e.Arch {
		out, err := b.e.Docker(ctx, "run", "--name", container, "--network", "none", "--entrypoint", "sh", image.ID, "-c",
			`echo "kubelet=$(readlink -f "$(command -v kubelet)")"; echo "version=$(cat /kind/version)"`)
		if err != nil {
			return "", "", err
		}
		for line := range strings.Lines(out) {
			if v, ok := strings.CutPrefix(strings.TrimSpace(line), "kubelet="); ok {
				kubelet = v
			} else if v, ok := strings.CutPrefix(strings.TrimSpace(line), "version="); ok {
				version = v
			}
		}
	} else {
		if _, err := b.e.Docker(ctx, "create", "--name", container, image.ID); err != nil {
			return "", "", err
		}
		if data, err := copyOut(ctx, container, "/kind/version"); err == nil {
			version = strings.TrimSpace(string(data))
		}
		for _, dir := range searchPath(image.Config.Env) {
			if _, err := copyOut(ctx, container, path.Join(dir, "kubelet")); err == nil {
				kubelet = path.Join(dir, "kubelet")
				break
			}
		}
	}
	if !path.IsAbs(kubelet) || !semver.IsValid(version) {
		return "", "", fmt.Errorf("%s is not a kind node image: want a kubelet on its PATH (found %q) and a version in /kind/version (found %q)", b.o.Source, kubelet, version)
	}
	// The Debian packages of the image.
	if status, err := copyOut(ctx, container, "/var/lib/dpkg/status"); err == nil {
		b.manifest.Debian = rootfs.ParseStatus(string(status))
	}
	return kubelet, version, ctx.Err()
}

// searchPath returns the PATH of an image, or a shell's default.
func searchPath(env []string) []string {
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			return strings.Split(v, ":")
		}
	}
	return strings.Split("/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", ":")
}

// copyOut reads a file from a container, running or not.
func copyOut(ctx context.Context, container, file string) ([]byte, error) {
	out, err := tool.Run(ctx, tool.Cmd{Dir: os.TempDir(), Env: os.Environ(), Args: []string{"docker", "cp", "--follow-link", container + ":" + file, "-"}})
	if err != nil {
		return nil, err
	}
	r := tar.NewReader(strings.NewReader(out))
	h, err := r.Next()
	if err != nil {
		return nil, err
	}
	if h.Typeflag != tar.TypeReg {
		return nil, errors.New(file + " is not a regular file")
	}
	return io.ReadAll(r)
}

// kubeletFor builds the arm's kubelet for the image's architecture.
func (b *builder) kubeletFor(ctx context.Context) error {
	if b.arch == runtime.GOARCH {
		if err := b.binaries(ctx, []string{kubelet}); err != nil {
			return err
		}
		return b.takeKubelet(b.bin[kubelet])
	}
	built, err := kubebuild.New(b.o.Repo).BuildFor(ctx, b.o.Minor, b.o.Arm, kubelet, b.arch)
	if err != nil {
		return err
	}
	b.bin[kubelet] = built.Path
	return b.takeKubelet(built.Path)
}
