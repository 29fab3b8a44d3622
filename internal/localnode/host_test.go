// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/sys/mountinfo"

	"github.com/kgrace/kgrace/internal/nodetest"
)

// testPrograms returns the programs that nodetest.DirVar and nodetest.MinorVar name, and the actor built from this
// checkout.
func testPrograms(t *testing.T) map[string]string {
	t.Helper()
	dir, minor := nodetest.Asked()
	if dir == "" {
		t.Skipf("%s is not set: it names the directory that `kgrace build` fills (_output/bin)", nodetest.DirVar)
	}
	if os.Geteuid() != 0 {
		t.Fatal("a real node needs root: run the test as root")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	bin, err := nodetest.Find("../..", dir, minor)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("../../cmd/actor"); err != nil && bin[ProgramActor] != "" {
		return bin // the test binary was copied to another machine, together with the programs
	}
	actor := filepath.Join(t.TempDir(), "actor")
	if err := BuildActor(t.Context(), "../..", actor); err != nil {
		t.Fatal(err)
	}
	bin[ProgramActor] = actor
	return bin
}

// host lists everything on the machine that a node could leave behind.
type host struct {
	Mounts, Interfaces, Cgroups, Directories []string
	Sysctls                                  map[string]string
}

// engineInterface matches an interface of a Docker engine. Its containers come and go while a test runs, and so do their
// mounts. A node makes none of these: it has a network namespace of its own.
var engineInterface = regexp.MustCompile(`^(docker0|br-[0-9a-f]{12}|veth[0-9a-f]{7})$`)

func lookAtHost(t *testing.T) host {
	t.Helper()
	var h host
	mounts, err := mountinfo.GetMounts(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mounts {
		if !strings.Contains(m.Mountpoint, "/docker/") {
			h.Mounts = append(h.Mounts, m.Mountpoint+" "+m.FSType)
		}
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range interfaces {
		if !engineInterface.MatchString(i.Name) {
			h.Interfaces = append(h.Interfaces, fmt.Sprint(i.Name, i.Flags))
		}
	}
	all, err := hierarchies()
	if err != nil {
		t.Fatal(err)
	}
	for _, hierarchy := range all {
		h.Cgroups = append(h.Cgroups, list(t, hierarchy.root, func(e fs.DirEntry) bool { return e.IsDir() && strings.HasPrefix(e.Name(), cgroupPrefix+testNode) })...)
	}
	for _, dir := range []string{"/var/lib", "/var/log", "/opt", "/etc", "/run", "/usr/libexec", "/var/lib/kubelet", "/run/containerd"} {
		h.Directories = append(h.Directories, list(t, dir, nodeLike)...)
	}
	h.Sysctls = map[string]string{}
	for _, name := range kubeletSysctls {
		value, err := os.ReadFile("/proc/sys/" + name)
		if err != nil {
			t.Fatal(err)
		}
		h.Sysctls[name] = string(value)
	}
	return h
}

// nodeLike selects entries that a node's programs could have created, because a machine does other things meanwhile. Run
// directories are checked by name: another node's may come and go.
func nodeLike(e fs.DirEntry) bool {
	if strings.HasPrefix(e.Name(), filepath.Base(runDirPrefix)) {
		return false
	}
	return slices.ContainsFunc([]string{"kube", "container", "cni", "etcd", "runc", "cdi", "nri", "pods", "plugins", "pki"}, func(part string) bool {
		return strings.Contains(e.Name(), part)
	})
}

func list(t *testing.T, dir string, keep func(fs.DirEntry) bool) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if keep(e) {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	return names
}

// members returns the processes in the namespace of a node's pid 1.
func members(t *testing.T, init int) []int {
	t.Helper()
	namespace, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", init))
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		// A container's process is in the node's namespace and in its own below it; its cgroup identifies it.
		cgroup, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
		if link, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", pid)); link == namespace || strings.Contains(string(cgroup), "/"+cgroupPrefix+testNode) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// expectGone checks that a node left nothing but its logs.
func expectGone(t *testing.T, before host, s *state, dir string, pids []int) {
	t.Helper()
	if diff := cmp.Diff(before, lookAtHost(t)); diff != "" {
		t.Errorf("the machine has changed (-before +after):\n%s", diff)
	}
	for _, pid := range pids {
		if data, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid)); err == nil && strings.Contains(string(data), s.Cgroup) {
			t.Errorf("process %d of the node still runs", pid)
		}
	}
	if _, err := os.Stat(s.RunDir); !os.IsNotExist(err) {
		t.Errorf("%s is still there (%v)", s.RunDir, err)
	}
	if left := list(t, dir, func(fs.DirEntry) bool { return true }); !slices.Equal(left, []string{filepath.Join(dir, "logs")}) {
		t.Errorf("the node's directory holds %v, want only its logs", left)
	}
}
