// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/moby/sys/capability"
	"golang.org/x/sys/unix"
)

// expectProblems checks that the problems contain the wanted texts one to one, in order.
func expectProblems(t *testing.T, got []error, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("problems %v, want %d", got, len(want))
		return
	}
	for i := range got {
		if !strings.Contains(got[i].Error(), want[i]) {
			t.Errorf("problem %q, want %q in it", got[i], want[i])
		}
	}
}

func TestCheckRights(t *testing.T) {
	with := func(caps ...capability.Cap) capability.Capabilities {
		process, err := capability.NewPid2(0)
		if err != nil {
			t.Fatal(err)
		}
		process.Set(capability.EFFECTIVE, caps...)
		return process
	}
	all := capability.ListKnown()
	expectProblems(t, checkRights(1000, with()), "sudo")
	expectProblems(t, checkRights(0, with(all...)))
	// This project's own machine.
	expectProblems(t, checkRights(0, with(slices.DeleteFunc(slices.Clone(all), func(c capability.Cap) bool { return c == capability.CAP_SYS_RESOURCE })...)))
	// An unprivileged container.
	docker := with(capability.CAP_CHOWN, capability.CAP_DAC_OVERRIDE, capability.CAP_FOWNER, capability.CAP_FSETID, capability.CAP_KILL,
		capability.CAP_SETGID, capability.CAP_SETUID, capability.CAP_SETPCAP, capability.CAP_NET_BIND_SERVICE, capability.CAP_NET_RAW,
		capability.CAP_SYS_CHROOT, capability.CAP_MKNOD, capability.CAP_AUDIT_WRITE, capability.CAP_SETFCAP)
	expectProblems(t, checkRights(0, docker), "lacks CAP_NET_ADMIN, CAP_SYS_PTRACE, CAP_SYS_ADMIN here")
}

func TestCheckTools(t *testing.T) {
	have := func(paths ...string) func(string) (string, error) {
		return func(path string) (string, error) {
			for _, p := range paths {
				if p == path {
					return p, nil
				}
			}
			return "", errors.New("not found")
		}
	}
	expectProblems(t, checkTools("/usr/bin:/bin", have("/bin/mount", "/usr/bin/umount")))
	expectProblems(t, checkTools("/usr/bin:/bin", have("/bin/umount")), "Debian package mount")
}

func TestCheckPrograms(t *testing.T) {
	dir := t.TempDir()
	bin := map[string]string{}
	script := func(name, text string, mode os.FileMode) {
		bin[name] = filepath.Join(dir, name)
		os.Remove(bin[name]) // WriteFile would keep the old mode
		if err := os.WriteFile(bin[name], []byte("#!/bin/sh\n"+text+"\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{ProgramKubelet, ProgramAPIServer, ProgramEtcd, ProgramContainerd, ProgramShim, ProgramCtr, ProgramRunc, ProgramActor} {
		script(name, "true", 0o755)
	}
	expectProblems(t, checkPrograms(bin))

	delete(bin, ProgramKubelet)
	bin[ProgramAPIServer] = filepath.Join(dir, "absent")
	bin[ProgramEtcd] = "etcd"
	script(ProgramCtr, "true", 0o644)
	script(ProgramRunc, "echo libseccomp.so.2: cannot open >&2; exit 127", 0o755)
	expectProblems(t, checkPrograms(bin),
		"program kubelet: no path given: build it with `kgrace build`",
		"absent: no such file",
		"not an absolute path",
		"not an executable file: build it with `kgrace build`, or use the one from Debian package containerd",
		"libseccomp2")
}

func TestCheckHierarchies(t *testing.T) {
	writable := func(string) error { return nil }
	v1 := []hierarchy{{root: "/sys/fs/cgroup/unified", v2: true}, {root: "/sys/fs/cgroup/systemd"}}
	for _, name := range neededV1 {
		v1 = append(v1, hierarchy{root: "/sys/fs/cgroup/" + name, controllers: []string{name}})
	}
	v2 := []hierarchy{{root: "/sys/fs/cgroup", v2: true, controllers: []string{"cpuset", "cpu", "io", "memory", "hugetlb", "pids", "rdma"}}}
	for name, test := range map[string]struct {
		all      []hierarchy
		writable func(string) error
		want     string
	}{
		"hybrid":           {v1, writable, ""},
		"unified":          {v2, writable, ""},
		"none":             {nil, writable, "no cgroup hierarchy"},
		"hybrid, no pids":  {v1[:len(v1)-1], writable, "cgroup v1 controllers missing: pids"},
		"unified, halved":  {[]hierarchy{{root: "/sys/fs/cgroup", v2: true, controllers: []string{"cpu", "pids"}}}, writable, "cgroup v2 controllers missing: cpuset, memory"},
		"mounted readonly": {v2, func(string) error { return unix.EROFS }, "/sys/fs/cgroup cannot be written"},
	} {
		t.Log(name)
		if test.want == "" {
			expectProblems(t, checkHierarchies(test.all, test.writable))
		} else {
			expectProblems(t, checkHierarchies(test.all, test.writable), test.want)
		}
	}
}

// TestCgroupTree creates and removes the cgroups in a plain directory, which shows the written files. The kernel's part is
// tested on real nodes.
func TestCgroupTree(t *testing.T) {
	root := t.TempDir()
	write := func(text string, elem ...string) {
		file := filepath.Join(append([]string{root}, elem...)...)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("0-1\n", "cpuset", "cpuset.cpus")
	write("0\n", "cpuset", "cpuset.mems")
	all := []hierarchy{{root: filepath.Join(root, "cpuset"), controllers: []string{"cpuset", "cpu"}}, {root: filepath.Join(root, "unified"), v2: true}}
	write("", "unified", "cgroup.procs")
	if err := createCgroups(all, "kgrace-x-1"); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"cpuset.cpus": "0-1\n", "cpuset.mems": "0\n"} {
		if got, err := os.ReadFile(filepath.Join(root, "cpuset", "kgrace-x-1", leafDaemons, file)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", file, got, err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(root, "cpuset", "kgrace-x-1", leafRemote, "cpu.shares")); string(got) != "10240" {
		t.Errorf("cpu.shares: %q, %v", got, err)
	}
	unified := hierarchy{root: root, v2: true, controllers: []string{"cpu"}}
	if err := unified.weigh(root, remoteWeight); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(root, "cpu.weight")); string(got) != "1000" {
		t.Errorf("cpu.weight: %q, %v", got, err)
	}
	if err := enterCgroups(all, filepath.Join("kgrace-x-1", leaf(ProgramBeside)), 42); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(filepath.Join(root, "unified", "kgrace-x-1", leafDaemons, "cgroup.procs")); string(got) != "42" {
		t.Errorf("cgroup.procs: %q", got)
	}
	// In a plain directory, files prevent the removal, as processes do in a cgroup; the error names the directory.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := removeCgroups(ctx, all, "kgrace-x-1"); err == nil || !strings.Contains(err.Error(), "kgrace-x-1") {
		t.Errorf("%v", err)
	}
	if err := removeCgroups(t.Context(), all, "kgrace-never-was"); err != nil {
		t.Error(err)
	}
}

// TestUnifiedControllers: controllers that a v2 root has enabled already are left alone.
func TestUnifiedControllers(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "cgroup.subtree_control")
	for enabled, want := range map[string]string{
		"cpuset cpu io memory pids\n": "cpuset cpu io memory pids\n",
		"cpuset cpu io memory\n":      "+pids",
	} {
		if err := os.WriteFile(file, []byte(enabled), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := enableControllers(dir, []string{"cpuset", "cpu", "io", "memory", "pids", "rdma"}); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(file); string(got) != want {
			t.Errorf("with %q enabled: wrote %q, want %q", enabled, got, want)
		}
	}
}
