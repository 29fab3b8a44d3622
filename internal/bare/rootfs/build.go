// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package rootfs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
)

// Suite is the Debian release of nodes.
const Suite = "bookworm"

// packages are those of kind's own base image, without those that only other projects' storage tests use, plus dbus, ipset
// and findutils, which minbase does not include.
var packages = []string{
	"bash", "ca-certificates", "conntrack", "curl", "dbus", "e2fsprogs", "ethtool", "findutils", "iproute2", "ipset",
	"iptables", "jq", "kmod", "libseccomp2", "mount", "nftables", "pigz", "procps", "systemd", "util-linux",
}

// options exclude documentation and translations, except for copyright files.
var options = []string{
	"--mode=root", "--format=tar", "--variant=minbase",
	"--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-include=/usr/share/doc/*/copyright",
	"--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=path-exclude=/usr/share/locale/*",
}

// Ensure builds the root filesystem for arch in dir, if it does not exist, and returns the path of the tar. refresh
// rebuilds it with current packages. An interrupt leaves the old one and nothing half-finished.
func Ensure(ctx context.Context, dir, arch string, refresh bool, progress io.Writer) (string, error) {
	file := filepath.Join(dir, "rootfs-"+key(arch)+".tar")
	if _, err := os.Stat(file); err == nil && !refresh {
		return file, nil
	}
	if os.Geteuid() != 0 {
		return "", fmt.Errorf("building the root filesystem of a node needs root (mmdebstrap, device files)")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(dir, ".bootstrap-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	half := filepath.Join(tmp, "root.tar")
	args := append([]string{"mmdebstrap"}, options...)
	args = append(args, "--architectures="+arch, "--include="+strings.Join(packages, ","), Suite, half)
	// apt's own user must be able to enter the directory.
	if err := os.Chmod(tmp, 0o755); err != nil {
		return "", err
	}
	cmd := tool.Cmd{Dir: tmp, Env: append(os.Environ(), "TMPDIR="+tmp), Args: args, Stderr: progress}
	if _, err := tool.Run(ctx, cmd); err != nil {
		return "", err
	}
	return file, os.Rename(half, file)
}

// key distinguishes root filesystems that are built in different ways.
func key(arch string) string {
	h := sha256.New()
	fmt.Fprintln(h, Suite, arch, slices.Sorted(slices.Values(packages)), options)
	return hex.EncodeToString(h.Sum(nil))[:16]
}
