// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package bare

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kgrace/kgrace/internal/docker"
)

const (
	// realVar enables the tests that need root and an engine's programs.
	realVar = "KGRACE_IMAGE"
	// insideVar tells a copy of this test that it runs in its own namespaces.
	insideVar = "TEST_INSIDE_NAMESPACES"
)

// A real engine is set up and taken down in its own network and mount namespaces, so that this machine's engine and packet
// filter are not involved.
func TestRealEngine(t *testing.T) {
	if os.Getenv(realVar) == "" {
		t.Skipf("set %s=1 to start a real Docker engine (make image-test)", realVar)
	}
	if os.Getenv(insideVar) != "" {
		insideNamespaces(t)
		return
	}
	if os.Geteuid() != 0 {
		t.Fatal("this test needs root")
	}
	// Packages belong to the machine; they are installed outside, with the network.
	if err := install(t.Context(), missing(append(engineNeeds, imageNeeds...), lookAdmin), os.Stderr); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestRealEngine$", "-test.v")
	cmd.Env = append(os.Environ(), insideVar+"=1", "DOCKER_HOST=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET | unix.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func insideNamespaces(t *testing.T) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", "/run", "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	// A user's firewall, and a bridge that only looks like Docker's.
	for _, line := range []string{"ip link set lo up", "ip link add br-0123456789ab type bridge", "iptables -N MINE", "iptables -A FORWARD -j MINE", "iptables -P FORWARD DROP"} {
		args := strings.Fields(line)
		if _, err := admin(ctx, "", args[0], args[1:]...); err != nil {
			t.Fatal(err)
		}
	}
	before, err := look(ctx)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := Config{Dir: dir, Root: root, Progress: os.Stderr}
	t.Cleanup(func() { _, _ = Teardown(context.Background(), dir, true, true, os.Stderr) }) // however the test ends
	if _, err := docker.Find(ctx); !docker.IsNotHere(err) {
		t.Fatalf("an engine is here: %v", err)
	}
	// An interrupt while dockerd starts leaves the machine as it was.
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	interrupted := c
	interrupted.Progress = onLine{"starting dockerd", cancel}
	if _, _, err := Setup(short, interrupted); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	if err := before.compare(ctx); err != nil {
		t.Fatalf("after an interrupt: %v", err)
	}
	if s, err := load(dir); s != nil || err != nil {
		t.Fatalf("after an interrupt there is %+v, %v", s, err)
	}
	e, s, err := Setup(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	if s == nil || !s.running() || e.Version == "" {
		t.Fatalf("%+v, %+v", e, s)
	}
	if before.compare(ctx) == nil {
		t.Error("the engine changed nothing, so the comparison tests nothing")
	}
	if _, again, err := Setup(ctx, c); err != nil || again.PID != s.PID {
		t.Errorf("a second setup: %+v, %v", again, err)
	}
	// If it dies, the next setup cleans up after it.
	if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.PidfdOpen(s.PID, 0)
	if err == nil {
		_, _ = waitEnd(fd, 10*time.Second)
		unix.Close(fd)
	}
	if e, s, err = Setup(ctx, c); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"iptables": before.IPTables, "links": strings.Join(before.Links, " ")} {
		got := map[string]string{"iptables": s.Before.IPTables, "links": strings.Join(s.Before.Links, " ")}[name]
		if name == "iptables" {
			if d := difference(rules(t, want), rules(t, got)); d != "" {
				t.Errorf("the earlier state is lost: %s", d)
			}
		} else if got != want {
			t.Errorf("what was before is forgotten: %s: %s, want %s", name, got, want)
		}
	}
	runPrivileged(t, e, root)
	if _, err := Teardown(ctx, dir, false, false, os.Stderr); err == nil || !strings.Contains(err.Error(), "containers run in it: sleeper") {
		t.Errorf("a teardown under a running container: %v", err)
	}
	if !s.running() {
		t.Fatal("the engine is down, and should not be")
	}
	if _, err := Teardown(ctx, dir, true, true, os.Stderr); err != nil {
		t.Fatalf("%v\n%s", err, s.logEnd())
	}
	if err := before.compare(ctx); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "data")); err == nil {
		t.Error("the images still exist")
	}
	if _, err := Teardown(ctx, dir, false, false, nil); err != ErrNothing {
		t.Errorf("a second teardown: %v", err)
	}
}

// runPrivileged runs a privileged container, and a privileged command in it, which an engine cannot do without runcless on
// a machine that lacks capabilities.
func runPrivileged(t *testing.T, e *docker.Engine, root string) {
	t.Helper()
	dir := t.TempDir()
	source := `package main

import ("os"; "os/signal"; "syscall")

func main() {
	if len(os.Args) > 1 { return }
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	<-c
}
`
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "sleeper"), filepath.Join(dir, "main.go"))
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tar, err := exec.Command("tar", "--create", "--directory", dir, "sleeper").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Import(t.Context(), bytes.NewReader(tar), "kgrace.test/sleeper:v1"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"run", "--detach", "--name", "sleeper", "--privileged", "--network", "none", "kgrace.test/sleeper:v1", "/sleeper"},
		{"exec", "--privileged", "sleeper", "/sleeper", "end"}} {
		if _, err := e.Docker(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
}

// onLine calls do when a progress line contains text.
type onLine struct {
	text string
	do   func()
}

func (o onLine) Write(p []byte) (int, error) {
	if strings.Contains(string(p), o.text) {
		o.do()
	}
	return os.Stderr.Write(p)
}
