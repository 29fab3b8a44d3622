// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package bare

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/moby/sys/capability"
)

func TestStateIsKept(t *testing.T) {
	dir := t.TempDir()
	if s, err := load(dir); s != nil || err != nil {
		t.Fatalf("nothing is there: %v, %v", s, err)
	}
	s := &State{dir: dir, PID: os.Getpid(), Started: startOf(os.Getpid()), Installed: []string{"docker.io"}, Before: &host{IPTables: rulesBefore}}
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	got, err := load(dir)
	if err != nil || !got.running() || got.Before.IPTables != rulesBefore {
		t.Errorf("%+v, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, stateFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := load(dir); err == nil || !strings.Contains(err.Error(), "kgrace image setup") {
		t.Errorf("a state without the earlier settings is accepted: %v", err)
	}
}

// A process that has reused the pid is left alone.
func TestOnlyOurProcessIsStopped(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	other := &State{PID: cmd.Process.Pid, Started: "1"}
	if other.running() {
		t.Error("a process that started at another time is mistaken for ours")
	}
	if err := other.stopDaemon(); err != nil {
		t.Error(err)
	}
	if startOf(cmd.Process.Pid) == "" {
		t.Fatal("it was ended")
	}
	ours := &State{PID: cmd.Process.Pid, Started: startOf(cmd.Process.Pid)}
	if err := ours.stopDaemon(); err != nil {
		t.Fatal(err)
	}
	<-ended
	if ours.running() {
		t.Error("it still runs")
	}
}

func TestTeardownOfNothing(t *testing.T) {
	if _, err := Teardown(t.Context(), t.TempDir(), false, false, nil); err != ErrNothing {
		t.Error(err)
	}
}

func TestLackingCapabilities(t *testing.T) {
	process, err := capability.NewPid2(0)
	if err != nil {
		t.Fatal(err)
	}
	process.Fill(capability.BOUNDING)
	if got := lackingCapabilities(process); got != nil {
		t.Errorf("lacks %v, want none", got)
	}
	process.Unset(capability.BOUNDING, capability.CAP_SYS_RESOURCE)
	if got := lackingCapabilities(process); !slices.Equal(got, []string{"CAP_SYS_RESOURCE"}) {
		t.Errorf("lacks %v, want CAP_SYS_RESOURCE", got)
	}
}
