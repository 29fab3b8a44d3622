// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/moby/sys/mountinfo"
	"github.com/opencontainers/cgroups"
	"golang.org/x/sys/unix"

	"github.com/kgrace/kgrace/internal/tool"
)

// hierarchy is one mounted cgroup hierarchy of this machine.
type hierarchy struct {
	root string
	// v2 is the unified hierarchy. On a hybrid machine it has no controllers.
	v2 bool
	// the controllers that the hierarchy offers; a named v1 hierarchy (systemd's) has none
	controllers []string
}

// The controllers that a node needs: without one of them the kubelet refuses to start (pkg/kubelet/cm,
// validateSystemRequirements and the cgroup manager) or a container has no limits.
var (
	neededV1 = []string{"cpu", "cpuacct", "cpuset", "memory", "devices", "freezer", "blkio", "pids"}
	neededV2 = []string{"cpu", "cpuset", "memory", "pids"}
)

// hierarchies returns the cgroup hierarchies mounted below /sys/fs/cgroup.
func hierarchies() ([]hierarchy, error) {
	mounts, err := mountinfo.GetMounts(mountinfo.FSTypeFilter("cgroup", "cgroup2"))
	if err != nil {
		return nil, err
	}
	var all []hierarchy
	for _, m := range mounts {
		if m.Mountpoint != "/sys/fs/cgroup" && !strings.HasPrefix(m.Mountpoint, "/sys/fs/cgroup/") {
			continue
		}
		h := hierarchy{root: m.Mountpoint, v2: m.FSType == "cgroup2"}
		if h.v2 {
			data, err := os.ReadFile(filepath.Join(h.root, "cgroup.controllers"))
			if err != nil {
				return nil, err
			}
			h.controllers = strings.Fields(string(data))
		} else {
			for option := range strings.SplitSeq(m.VFSOptions, ",") {
				if slices.Contains(neededV1, option) {
					h.controllers = append(h.controllers, option)
				}
			}
		}
		all = append(all, h)
	}
	return all, nil
}

// checkHierarchies returns one error for each requirement of a node that the hierarchies do not meet.
func checkHierarchies(all []hierarchy, writable func(dir string) error) []error {
	if len(all) == 0 {
		return []error{errors.New("no cgroup hierarchy is mounted below /sys/fs/cgroup: boot with systemd, or mount them (Debian package cgroupfs-mount)")}
	}
	var problems []error
	var have []string
	unified := false
	for _, h := range all {
		have = append(have, h.controllers...)
		unified = unified || h.v2 && h.root == "/sys/fs/cgroup"
		if err := writable(h.root); err != nil {
			problems = append(problems, fmt.Errorf("cgroup hierarchy %s cannot be written (%w): run on the machine itself, or in a privileged container with a writable /sys/fs/cgroup", h.root, err))
		}
	}
	need, kind := neededV1, "cgroup v1"
	if unified {
		need, kind = neededV2, "cgroup v2"
	}
	var missing []string
	for _, name := range need {
		if !slices.Contains(have, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		problems = append(problems, fmt.Errorf("%s controllers missing: %s: enable them on the kernel command line (cgroup_enable=NAME) or mount them (Debian package cgroupfs-mount)",
			kind, strings.Join(missing, ", ")))
	}
	return problems
}

// The leaves of the node's cgroup, beside the kubelet's kubepods; on cgroup v2 only leaves may hold processes.
const (
	// leafDaemons holds the programs that run on a node.
	leafDaemons = "daemons"
	// leafRemote holds what runs on another machine in a real cluster: the API server, etcd, and pid 1, through which the node's
	// connections to them go. It has remoteWeight times the CPU weight of leafDaemons, so that many pods that end at once do not
	// delay the requests for their end.
	leafRemote   = "remote"
	remoteWeight = 10
)

// leaf returns the cgroup of a program.
func leaf(program string) string {
	if program == ProgramAPIServer || program == ProgramEtcd {
		return leafRemote
	}
	return leafDaemons
}

// createCgroups creates the node's root cgroup and its leaves in every hierarchy.
func createCgroups(all []hierarchy, name string) error {
	for _, h := range all {
		if h.v2 && len(h.controllers) > 0 {
			if err := enableControllers(h.root, h.controllers); err != nil {
				return err
			}
		}
		root := filepath.Join(h.root, name)
		if err := h.create(root); err != nil {
			return err
		}
		for _, leaf := range []string{leafDaemons, leafRemote} {
			if err := h.create(filepath.Join(root, leaf)); err != nil {
				return err
			}
		}
		if h.v2 && len(h.controllers) > 0 {
			if err := enableControllers(root, h.controllers); err != nil {
				return err
			}
		}
		if err := h.weigh(filepath.Join(root, leafRemote), remoteWeight); err != nil {
			return err
		}
	}
	return nil
}

func (h hierarchy) create(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil || h.v2 || !slices.Contains(h.controllers, "cpuset") {
		return err
	}
	// A new v1 cpuset is empty, and no process may enter an empty one.
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		if err := tool.CopyFile(filepath.Join(dir, file), filepath.Join(filepath.Dir(dir), file)); err != nil {
			return err
		}
	}
	return nil
}

// weigh gives a cgroup a multiple of the default CPU weight.
func (h hierarchy) weigh(dir string, times int) error {
	if !slices.Contains(h.controllers, "cpu") {
		return nil
	}
	file, usual := "cpu.shares", 1024
	if h.v2 {
		file, usual = "cpu.weight", 100
	}
	return os.WriteFile(filepath.Join(dir, file), []byte(strconv.Itoa(times*usual)), 0o644)
}

// enableControllers enables a v2 cgroup's controllers for its children; controllers that are enabled already are left
// alone. In the machine's root cgroup systemd does the same, and nothing disables them again: other programs may use them
// by then.
func enableControllers(dir string, available []string) error {
	file := filepath.Join(dir, "cgroup.subtree_control")
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	enabled := strings.Fields(string(data))
	for _, name := range []string{"cpuset", "cpu", "io", "memory", "hugetlb", "pids"} {
		if !slices.Contains(available, name) || slices.Contains(enabled, name) {
			continue
		}
		if err := os.WriteFile(file, []byte("+"+name), 0o644); err != nil {
			return fmt.Errorf("enable cgroup controller %s in %s: %w (in a container: give it a cgroup namespace whose root contains no processes)", name, dir, err)
		}
	}
	return nil
}

// enterCgroups moves a process into the cgroups of one name; its children start there.
func enterCgroups(all []hierarchy, name string, pid int) error {
	for _, h := range all {
		file := filepath.Join(h.root, name, "cgroup.procs")
		if err := os.WriteFile(file, []byte(strconv.Itoa(pid)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// removeCgroups removes the node's cgroups, including those of the kubelet and the containers below them. Their processes
// have ended, but the kernel may still count a dying one; the removal is retried until ctx ends.
func removeCgroups(ctx context.Context, all []hierarchy, name string) error {
	for _, h := range all {
		root := filepath.Join(h.root, name)
		for {
			err := cgroups.RemovePath(root)
			if err == nil {
				break
			}
			if !errors.Is(err, unix.EBUSY) {
				return err
			}
			select {
			case <-ctx.Done():
				pids, _ := cgroups.GetAllPids(root)
				return fmt.Errorf("%w: it still contains processes %v", err, pids)
			case <-time.After(probeInterval):
			}
		}
	}
	return nil
}
