// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package check runs the program kubectl-kgrace against real kubelets: a node of each arm without a pod network
// (KGRACE_NODE_BIN), and a kind cluster with a node of each arm (KGRACE_CHECK_CLUSTER). `make check-test` sets both. On such a
// cluster it also follows a release's INSTALL.md (KGRACE_RELEASE, `make install-test`).
//
// The program runs in a chroot that has only the program and a kubeconfig.
package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kgrace/kgrace/cmd/kubectl-kgrace/check"
	"github.com/kgrace/kgrace/internal/imagefile"
	"github.com/kgrace/kgrace/internal/localnode"
)

const (
	// shell is an image that has only busybox.
	shell = "kgrace.test/shell:v1"
	// maxProgram and maxMemory are limits in bytes; maxTime is the limit for one node.
	maxProgram = 60 << 20
	maxMemory  = 64 << 20
	maxTime    = 75 * time.Second
)

func TestMain(m *testing.M) {
	localnode.MaybeInit()
	os.Exit(m.Run())
}

// programVar is the environment variable with the path of the program.
const programVar = "KGRACE_CHECK_PROGRAM"

// program returns the path of the program.
func program(t *testing.T) string {
	t.Helper()
	file := os.Getenv(programVar)
	if file == "" {
		t.Skipf("%s is not set: it is the path of the program kubectl-kgrace; `make check-test` sets it", programVar)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > maxProgram {
		t.Errorf("the program has %d bytes, want at most %d", info.Size(), maxProgram)
	}
	return file
}

// shellImage writes the image shell to a file.
func shellImage(t *testing.T) string {
	t.Helper()
	busybox, _, err := imagefile.FindBusybox(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	layer := &imagefile.Files{{Path: "/bin/busybox", Mode: 0o755, From: busybox}, {Path: "/bin/sh", Link: "busybox"}, {Path: "/bin/sleep", Link: "busybox"}}
	file := filepath.Join(t.TempDir(), "shell.tar")
	image := imagefile.Image{Names: []string{shell}, Layers: []imagefile.Layer{layer}, Cmd: []string{"sh"}, Env: []string{"PATH=/bin"}, WorkingDir: "/"}
	if err := imagefile.WriteFile(file, time.Time{}, image); err != nil {
		t.Fatal(err)
	}
	return file
}

// checker runs the program in a chroot.
type checker struct {
	root string
	args []string // of every run
}

func newChecker(t *testing.T, program, kubeconfig string, args ...string) checker {
	t.Helper()
	root := t.TempDir()
	for name, from := range map[string]string{"kubectl-kgrace": program, "kubeconfig": kubeconfig} {
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(root, name), data, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return checker{root, args}
}

// outcome is the outcome of a run.
type outcome struct {
	code   int
	report check.Report
	errs   string
	took   time.Duration
	memory int64 // bytes, at most
}

// run runs the program and interrupts it when stop is closed.
func (c checker) run(ctx context.Context, t *testing.T, stop <-chan struct{}, args ...string) (o outcome) {
	t.Helper()
	args = append(append([]string{"check", "--kubeconfig", "/kubeconfig", "--image", shell, "--output", "json"}, c.args...), args...)
	cmd := exec.CommandContext(ctx, "/kubectl-kgrace", args...)
	cmd.Path, cmd.Dir, cmd.Env, cmd.Err = "/kubectl-kgrace", "/", []string{}, nil
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: c.root}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return o
	}
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		ticker := time.NewTicker(100 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				_ = cmd.Process.Signal(os.Interrupt)
				stop = nil
			case <-ticker.C:
				o.memory = max(o.memory, mostMemory(cmd.Process.Pid))
			case <-ended:
				return
			}
		}
	}()
	err := cmd.Wait()
	close(ended)
	<-watched
	o.took, o.errs, o.code = time.Since(start), errs.String(), cmd.ProcessState.ExitCode()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		t.Error(err)
	}
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), &o.report); err != nil {
			t.Errorf("%v: %s", err, &out)
		}
	}
	t.Logf("%s\ncode %d, %.1f s, %d MiB\n%s%s", strings.Join(args, " "), o.code, o.took.Seconds(), o.memory>>20, o.errs, out.String())
	return o
}

// mostMemory returns the peak memory of a running process. The rusage of an ended one would include the process that started
// it.
func mostMemory(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	var kib int64
	_, _ = fmt.Sscan(rest, &kib)
	return kib << 10
}

// want compares the exit code and the verdicts on a node, given as "probe=verdict".
func (o outcome) want(t *testing.T, code int, node string, results ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d", o.code, code)
	}
	if o.memory > maxMemory {
		t.Errorf("peak memory %d bytes, want at most %d", o.memory, maxMemory)
	}
	got := map[string]check.Verdict{}
	for _, n := range o.report.Nodes {
		for _, r := range n.Results {
			if n.Node == node {
				got[r.Probe] = r.Verdict
			}
		}
	}
	for _, want := range results {
		probe, verdict, _ := strings.Cut(want, "=")
		if string(got[probe]) != verdict {
			t.Errorf("%s: %s is %q, want %q", node, probe, got[probe], verdict)
		}
	}
}

// all returns the given verdict for every probe.
func all(verdict string, prefixes ...string) (results []string) {
	for _, prefix := range append(prefixes, "") {
		for _, p := range []string{check.Shortened, check.Forced, check.Zero} {
			results = append(results, prefix+p+"="+verdict)
		}
	}
	return results
}
