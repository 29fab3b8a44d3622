// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/localnode"
)

// What was there before the first pod is not left over; anything else is, of whatever kind.
func TestLeftovers(t *testing.T) {
	before := State{Mounts: []string{"/", "/proc"}, Processes: []string{"beside 7"}}
	if left := before.Since(before); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	after := State{Pods: []string{"a"}, Workers: []string{"w"}, Sandboxes: []string{"s"}, Containers: []string{"c"}, Processes: []string{"beside 7", "actor 8", "shim 9"},
		Cgroups: []string{"g"}, Mounts: []string{"/", "/proc", "/m"}, Directories: []string{"f", "g", "h", "i"}}
	want := []string{"1 pods in the kubelet's list: a", "1 pods that the kubelet works on: w", "1 sandboxes: s", "1 containers: c", "2 processes: actor 8, shim 9",
		"1 cgroups: g", "1 mounts: /m", "4 directories: f, g, h"}
	if diff := cmp.Diff(want, after.Since(before)); diff != "" {
		t.Error(diff)
	}
}

func TestWorking(t *testing.T) {
	got := working(`# TYPE kubelet_working_pods gauge
kubelet_working_pods{config="desired",lifecycle="sync",static="",type="api"} 0
kubelet_working_pods{config="desired",lifecycle="terminating",static="",type="api"} 2
kubelet_working_pods_other 1
`)
	if diff := cmp.Diff([]string{`kubelet_working_pods{config="desired",lifecycle="terminating",static="",type="api"} 2`}, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseStat(t *testing.T) {
	pid, name, parent, ok := parseStat("12 (a) b (c) S 7 12 12 0")
	if pid != 12 || name != "a) b (c" || parent != 7 || !ok {
		t.Errorf("%d %q %d %t", pid, name, parent, ok)
	}
	for _, bad := range []string{"", "12", "x (a) S 7", "12 (a)", ") 1 ("} {
		if _, _, _, ok := parseStat(bad); ok {
			t.Errorf("%q was read", bad)
		}
	}
}

// A process below the node's first one that is none of its programs is a stranger: here, this test below its parent.
func TestStrangers(t *testing.T) {
	all, err := strangers(localnode.Status{InitPID: os.Getppid()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(all, "\n"), "soak.test ") {
		t.Errorf("this process is not in %v", all)
	}
	all, err = strangers(localnode.Status{InitPID: os.Getppid(), Components: []localnode.Component{{PID: os.Getpid()}}}, nil)
	if err != nil || strings.Contains(strings.Join(all, "\n"), "soak.test ") {
		t.Errorf("a program of the node is a stranger: %v, %v", all, err)
	}
}

// A shim without a process counts if the runtime has its sandbox; one that the runtime does not know was lost by the runtime.
func TestShims(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err) // it is in coreutils, which bash and git need too
	}
	shim := filepath.Join(t.TempDir(), "containerd-shim-runc-v2")
	if err := os.Symlink(sleep, shim); err != nil {
		t.Fatal(err)
	}
	const id = "600" // sleep takes nothing but seconds
	cmd := exec.CommandContext(t.Context(), shim, id)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for name, c := range map[string]struct {
		sandboxes []string
		counts    bool
	}{"known to the runtime": {[]string{"other", id}, true}, "lost": {[]string{"other"}, false}} {
		all, err := strangers(localnode.Status{InitPID: os.Getppid()}, c.sandboxes)
		if got := slices.Contains(all, fmt.Sprintf("%s %d", shimName, cmd.Process.Pid)); err != nil || got != c.counts {
			t.Errorf("%s: counts: %t, want %t: %v %v", name, got, c.counts, all, err)
		}
	}
}

func TestPodCgroups(t *testing.T) {
	if all, err := podCgroups("kgrace-no-such-node"); err != nil || len(all) > 0 {
		t.Errorf("%v, %v", all, err)
	}
	if _, err := os.Stat(filepath.Join("/sys/fs/cgroup")); err != nil {
		t.Skip("no cgroups here")
	}
}
