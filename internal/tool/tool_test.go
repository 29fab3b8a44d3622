// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	var copied bytes.Buffer
	out, err := Run(t.Context(), Cmd{
		Dir: dir, Env: []string{"X=y"}, Stdin: strings.NewReader("in"), Stderr: &copied,
		Args: []string{"/bin/sh", "-c", "pwd; cat; echo $X; echo warned >&2"},
	})
	if err != nil || out != dir+"\niny\n" || copied.String() != "warned\n" {
		t.Errorf("said %q and %q, %v", out, copied.String(), err)
	}
	out, err = Run(t.Context(), Cmd{Dir: dir, Args: []string{"/bin/sh", "-c", "echo part; echo why >&2; exit 3"}})
	var failed *Error
	if !errors.As(err, &failed) || failed.Stdout != "part\n" || failed.Stderr != "why\n" || out != "part\n" {
		t.Fatalf("got %q, %#v", out, err)
	}
	for _, says := range []string{"/bin/sh -c", dir, "exit status 3", "why"} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("does not contain %q: %v", says, err)
		}
	}
	if _, err := Run(t.Context(), Cmd{Dir: dir, Args: []string{"kgrace-no-such-program"}}); !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "install it") {
		t.Errorf("got %v", err)
	}
}

func TestRunKeepsTheEndOfLongErrors(t *testing.T) {
	_, err := Run(t.Context(), Cmd{Dir: "/", Args: []string{"/bin/sh", "-c", "i=0; while [ $i -lt 100 ]; do echo line$i; i=$((i+1)); done >&2; exit 1"}})
	if err == nil || strings.Contains(err.Error(), "line10\n") || !strings.HasSuffix(err.Error(), "line99") {
		t.Errorf("got %v", err)
	}
}

// A child of the child must not outlive the context either: go build starts compilers, git starts helpers.
func TestInterruptEndsTheWholeGroup(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "alive")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		// Both hold the fifo open for writing; the grandchild reports that it runs and then blocks.
		_, err := Run(ctx, Cmd{Dir: dir, Args: []string{"/bin/sh", "-c", `(echo up; exec sleep 1000) > alive & wait`}})
		ended <- err
	}()
	f, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	up := make([]byte, 3)
	if _, err := f.Read(up); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	// EOF means that no writer is left.
	if n, err := f.Read(up); n != 0 {
		t.Errorf("a process still writes: %q, %v", up[:n], err)
	}
	if _, err := Run(ctx, Cmd{Dir: dir, Args: []string{"/bin/true"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("started after the end: %v", err)
	}
}

func TestEnvironments(t *testing.T) {
	for _, kv := range []string{"GIT_DIR=/x", "GIT_CONFIG_GLOBAL=/x", "GOFLAGS=-mod=vendor", "GOWORK=/x", "GOTOOLCHAIN=local", "GOOS=plan9", "CGO_CFLAGS=-O0", "GOPROXY=off"} {
		k, v, _ := strings.Cut(kv, "=")
		t.Setenv(k, v)
	}
	env := GoEnv("go1.26.10", "CGO_ENABLED=1")
	for _, bad := range []string{"GIT_DIR=/x", "GOFLAGS=-mod=vendor", "GOWORK=/x", "GOTOOLCHAIN=local", "GOOS=plan9", "CGO_CFLAGS=-O0"} {
		if slices.Contains(env, bad) {
			t.Errorf("go sees %s", bad)
		}
	}
	for _, want := range []string{"GOTOOLCHAIN=go1.26.10", "GOWORK=off", "GOPROXY=off", "CGO_ENABLED=1", "GOFLAGS=" + GoFlags} {
		if !slices.Contains(env, want) {
			t.Errorf("go does not see %s", want)
		}
	}
	for _, kv := range GitEnv() {
		if kv == "GIT_DIR=/x" || kv == "GIT_CONFIG_GLOBAL=/x" {
			t.Errorf("git sees %s", kv)
		}
	}
}

func TestDownloadNamesWhatIsMissing(t *testing.T) {
	for k, v := range map[string]string{"GOPROXY": "off", "GOMODCACHE": t.TempDir(), "GOSUMDB": "off"} {
		t.Setenv(k, v)
	}
	_, err := Download(t.Context(), "local", "example.test/absent@v1.2.3")
	var missing *DownloadError
	if !errors.As(err, &missing) || missing.Module != "example.test/absent@v1.2.3" || !strings.Contains(err.Error(), "GOPROXY") {
		t.Errorf("got %v", err)
	}
	_, err = Download(t.Context(), "go1.26.999", "example.test/absent@v1.2.3")
	if !errors.As(err, &missing) || !strings.Contains(missing.Module, "go1.26.999") {
		t.Errorf("unavailable toolchain: %v", err)
	}
}
