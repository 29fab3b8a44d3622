// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/unixsock"
)

func goodState(t *testing.T) *state {
	t.Helper()
	boot, err := bootID()
	if err != nil {
		t.Fatal(err)
	}
	return &state{Version: stateVersion, Name: "stock", RunDir: runDirPrefix + "abcdef", Cgroup: cgroupPrefix + "stock-abcdef", BootID: boot}
}

func TestStateRoundTrip(t *testing.T) {
	dir := t.TempDir()
	if _, err := Attach(dir); !IsNoNode(err) {
		t.Errorf("Attach to an empty directory: %v", err)
	}
	if err := goodState(t).write(dir); err != nil {
		t.Fatal(err)
	}
	n, err := Attach(dir)
	if err != nil {
		t.Fatal(err)
	}
	if n.NodeName() != "stock" || n.RunDir() != runDirPrefix+"abcdef" || n.LinesDir() != runDirPrefix+"abcdef/lines" {
		t.Errorf("node %+v", n.state)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the directory holds %v", entries)
	}
}

// TestStateRefused: Down removes what the state names, so a file that names anything else is rejected.
func TestStateRefused(t *testing.T) {
	for name, spoil := range map[string]func(*state){
		"run directory elsewhere": func(s *state) { s.RunDir = "/home" },
		"run directory above":     func(s *state) { s.RunDir = runDirPrefix + "a/../../home" },
		"run directory below":     func(s *state) { s.RunDir = runDirPrefix + "a/b" },
		"cgroup elsewhere":        func(s *state) { s.Cgroup = "system.slice" },
		"cgroup above":            func(s *state) { s.Cgroup = cgroupPrefix + "a/../b" },
		"version":                 func(s *state) { s.Version = 99 },
	} {
		dir := t.TempDir()
		s := goodState(t)
		spoil(s)
		if err := s.write(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := Attach(dir); err == nil || !strings.Contains(err.Error(), statePath(dir)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(statePath(dir), []byte(`{"version": 1, "na`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Attach(dir); err == nil || IsNoNode(err) || !strings.Contains(err.Error(), statePath(dir)) {
		t.Errorf("half a file: %v", err)
	}
}

// TestStrangerIsSpared: a process that has the pid of the node's pid 1 but is another one is not killed.
func TestStrangerIsSpared(t *testing.T) {
	stranger := exec.Command("sleep", "600")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { stranger.Wait(); close(ended) }()
	t.Cleanup(func() { stranger.Process.Kill(); <-ended })
	pid := stranger.Process.Pid
	start, err := startTime(pid)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*state){
		"other start": func(s *state) { s.InitStart++ },
		"other boot":  func(s *state) { s.BootID = "another" },
	} {
		s := goodState(t)
		s.InitPID, s.InitStart = pid, start
		spoil(s)
		if s.alive() {
			t.Errorf("%s: mistaken for the node's pid 1", name)
		}
		if err := s.killInit(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	select {
	case <-ended:
		t.Fatal("the stranger was killed")
	default:
	}
	// The right process is killed.
	s := goodState(t)
	s.InitPID, s.InitStart = pid, start
	if !s.alive() {
		t.Error("not recognized as the node's pid 1")
	}
	if err := s.killInit(t.Context()); err != nil {
		t.Error(err)
	}
	<-ended
	if s.alive() {
		t.Error("reported as alive after its end")
	}
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	unlock, err := lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("locked twice: %v", err)
	}
	if err := newNode(dir, goodState(t)).Down(t.Context()); err == nil {
		t.Error("Down succeeded while another program held the lock")
	}
	unlock()
	if unlock, err = lock(dir); err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestConfigRefused(t *testing.T) {
	good := Config{Dir: t.TempDir(), Name: "stock"}
	for want, spoil := range map[string]func(*Config){
		"DNS label":    func(c *Config) { c.Name = "Stock!" },
		"40":           func(c *Config) { c.Name = strings.Repeat("a", 41) },
		"Config.Dir":   func(c *Config) { c.Dir = "" },
		"absolute":     func(c *Config) { c.RuntimeEndpoint = "cri.sock" },
		"unix socket":  func(c *Config) { c.RuntimeEndpoint = "/" + strings.Repeat("x", unixsock.MaxPath) },
		"':'":          func(c *Config) { c.Dir = "/a:b" },
		"program etcd": func(c *Config) { c.Bin = map[string]string{} },
	} {
		c := good
		spoil(&c)
		if err := Check(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestExplain(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "etcd.log")
	if err := os.WriteFile(log, []byte("one\ntwo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	n := newNode(dir, goodState(t))
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := &ProgramError{Program: ProgramEtcd, Err: errors.New("exit status 2"), Log: log}
	cancel(ended)
	// The API server's error is the effect.
	err := n.explain(ctx, n.failed(ProgramAPIServer, "is not ready", context.Cause(ctx)))
	if got := err.Error(); !strings.Contains(got, "etcd: exit status 2") || !strings.Contains(got, "    two") || strings.Contains(got, "kube-apiserver") {
		t.Errorf("%v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := n.explain(stopped, errors.New("anything")); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("%v", err)
	}
}

func TestLastLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	if got := lastLines(file, 3); got != "" {
		t.Errorf("no file: %q", got)
	}
	if err := os.WriteFile(file, []byte(strings.Repeat("padding\n", 20000)+"a\n"+strings.Repeat("b", 400)+"\nc"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, want := lastLines(file, 3), "    a\n    "+strings.Repeat("b", 300)+"...\n    c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
