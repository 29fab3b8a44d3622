// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Setup tells pid 1 how to prepare the namespaces before the first program starts.
type Setup struct {
	Hostname string
	RunDir   string
	Cgroup   string
	// Keep lists directories that stay visible below the node's own file systems.
	Keep []string
	// Data is bound to the paths that the programs use on every node. Those are short and contain no unusual characters: a
	// socket's path may have at most 107 bytes, and a comma ends an overlay's option.
	Data map[string]string
	// Memory maps such paths to a size in bytes: they get a file system in memory instead.
	Memory map[string]int64
	// Sysctl is a directory for the files that replace kernel settings.
	Sysctl string
	// Probe stops after every operation that the machine could refuse; it needs no files of a node.
	Probe bool
}

// step adds the failed operation to an error; most failures are a missing privilege.
func step(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Setup creates the node's mounts and its network, then forwards the host's port to the API server.
func (s *supervisor) Setup(c Setup, _ *None) error {
	s.runDir, s.cgroup = c.RunDir, c.Cgroup
	if err := step("set the host name", unix.Sethostname([]byte(c.Hostname))); err != nil {
		return err
	}
	if err := setupMounts(c); err != nil {
		return err
	}
	if err := step("bring up the loopback device", loopbackUp(nodeIP)); err != nil {
		return err
	}
	if c.Probe {
		return nil
	}
	var err error
	if s.cgroups, err = hierarchies(); err != nil {
		return step("read the cgroup hierarchies", err)
	}
	listener, err := net.FileListener(os.NewFile(listenerFD, "listener"))
	if err != nil {
		return step("take over the API listener", err)
	}
	go forward(listener, apiServerAddr)
	s.link, err = newLink(kubeletLinkAddr, apiServerAddr)
	return step("open the kubelet's link to the API server", err)
}

// ownDirectories are private to the node because programs use fixed paths there: /run/containerd/s for the shims' sockets,
// /var/lib/kubelet/device-plugins for the kubelet's socket, /var/log/containers for its links.
var ownDirectories = []string{"/run", "/var/lib", "/var/log"}

func setupMounts(c Setup) error {
	// No mount made below may reach the host.
	if err := step("make the mounts private", unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")); err != nil {
		return err
	}
	if err := step("mount /proc", unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")); err != nil {
		return err
	}
	// sysfs shows the network devices of the namespace that mounted it. A new one also contains no securityfs, so no AppArmor
	// profile is loaded into the host's kernel.
	if err := remount("/sys", "sysfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "/sys/fs/cgroup"); err != nil {
		return err
	}
	for _, target := range ownDirectories {
		var keep []string
		for _, dir := range c.Keep {
			if strings.HasPrefix(dir, target+"/") {
				keep = append(keep, dir)
			}
		}
		if err := remount(target, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, keep...); err != nil {
			return err
		}
	}
	if !c.Probe {
		for target, dir := range c.Data {
			if err := os.MkdirAll(target, 0o755); err != nil {
				return err
			}
			if size := c.Memory[target]; size > 0 {
				if err := step("mount "+target, unix.Mount("tmpfs", target, "tmpfs", unix.MS_NODEV, fmt.Sprintf("mode=0755,size=%d", size))); err != nil {
					return err
				}
				continue
			}
			if err := step("bind "+target, unix.Mount(dir, target, "", unix.MS_BIND, "")); err != nil {
				return err
			}
		}
		if err := shadowSysctls(c.Sysctl); err != nil {
			return err
		}
	}
	// Mount propagation into pods works as on a machine booted by systemd.
	return step("share the mounts", unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""))
}

// remount mounts a new file system over target and makes the directories in keep, which lie below it, visible again.
func remount(target, fstype string, flags uintptr, keep ...string) error {
	fds := make([]int, len(keep))
	for i, dir := range keep {
		fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return step("open "+dir, err)
		}
		defer unix.Close(fd)
		fds[i] = fd
	}
	data := ""
	if fstype == "tmpfs" {
		data = "mode=0755"
	}
	if err := step("mount "+target, unix.Mount(fstype, target, fstype, flags, data)); err != nil {
		return err
	}
	for i, dir := range keep {
		if fstype == "tmpfs" {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
		old := fmt.Sprintf("/proc/self/fd/%d", fds[i])
		if err := step("bind "+dir, unix.Mount(old, dir, "", unix.MS_BIND|unix.MS_REC, "")); err != nil {
			return err
		}
	}
	return nil
}

// kubeletSysctls are the settings that a kubelet changes on start (pkg/kubelet/cm, setupKernelTunables). They apply to the
// whole machine, so a node must not change them.
var kubeletSysctls = []string{
	"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes",
}

// shadowSysctls mounts a plain file with the current value over each setting; the kubelet reads and writes that file.
func shadowSysctls(dir string) error {
	for _, name := range kubeletSysctls {
		target := filepath.Join("/proc/sys", name)
		value, err := os.ReadFile(target)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return err
		}
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "."))
		if err := os.WriteFile(file, value, 0o644); err != nil {
			return err
		}
		if err := step("shadow "+target, unix.Mount(file, target, "", unix.MS_BIND, "")); err != nil {
			return err
		}
	}
	return nil
}

// ProbeOverlay tries to mount an overlay whose layers are in dir; it fails where dir is an overlay itself, as in a
// container.
func (s *supervisor) ProbeOverlay(dir string, _ *None) error {
	sub := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"lower", "upper", "work", "merged"} {
		if err := os.MkdirAll(sub(name), 0o755); err != nil {
			return err
		}
	}
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", sub("lower"), sub("upper"), sub("work"))
	if err := unix.Mount("overlay", sub("merged"), "overlay", 0, options); err != nil {
		return err
	}
	return unix.Unmount(sub("merged"), 0)
}
