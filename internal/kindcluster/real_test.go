// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindcluster

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/kindnode"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/verdict"
)

// realVar enables tests of real clusters, with the image that `make image` leaves in the Docker engine.
const realVar = "KGRACE_CLUSTERS"

func real(t *testing.T, name string) Config {
	t.Helper()
	if os.Getenv(realVar) == "" {
		t.Skipf("%s is not set: this test needs a Docker engine and a node image; `make clusters` has them", realVar)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	repo, err := kubetree.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	minor, err := repo.Versions.Minor("")
	if err != nil {
		t.Fatal(err)
	}
	programs, err := Build(t.Context(), root, "local", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return Config{Name: name, Image: kindnode.DefaultImage(minor, verdict.Fixed, runtime.GOARCH), Programs: programs, LinesSocket: "lines.sock",
		Record: history.SinkFunc(func(history.Event) {}), Log: t.Output()}
}

// nothingLeft fails if a container, a directory or a lock of the cluster is left.
func nothingLeft(t *testing.T, name string) {
	t.Helper()
	out, err := exec.Command("docker", "ps", "--all", "--quiet", "--filter", "name="+name).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "" {
		t.Errorf("containers are left: %s, %v", out, err)
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), name+"*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A cluster comes up with both nodes Ready, its worker can be disturbed and recovers, the recording stays complete, the end
// of a node is detected, and nothing is left.
func TestRealCluster(t *testing.T) {
	config := real(t, "kgrace-test-life")
	calls := make(chan history.Event, 10000)
	config.Record = history.SinkFunc(func(e history.Event) { calls <- e })
	c, err := Up(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	closed := false
	defer func() {
		if !closed {
			t.Error(c.Close(context.WithoutCancel(t.Context())))
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if len(calls) == 0 {
		t.Error("no call of the worker's kubelet was recorded, not even for its own pods")
	}
	if _, err := Up(ctx, config); err == nil || !strings.Contains(err.Error(), "in use by another run") {
		t.Errorf("a second cluster of the name: %v", err)
	}
	if err := c.KillKubelet(ctx); err != nil {
		t.Error(err)
	}
	if err := in(ctx, c.worker, "systemctl", "is-active", "kubelet"); err == nil {
		t.Error("the kubelet still runs")
	}
	if err := errors.Join(c.StartKubelet(ctx), c.RestartRuntime(ctx)); err != nil {
		t.Error(err)
	}
	if err := c.Recording(); err != nil {
		t.Errorf("the recording is incomplete: %v", err)
	}
	if err := c.Drain(ctx, "nobody=here"); err != nil {
		t.Error(err)
	}
	if node, err := c.client.CoreV1().Nodes().Get(ctx, c.NodeName(), metav1.GetOptions{}); err != nil || !node.Spec.Unschedulable {
		t.Errorf("drained, but not cordoned: %v", err)
	}
	if err := c.Uncordon(ctx); err != nil {
		t.Error(err)
	}
	logs := t.TempDir()
	if err := c.ExportLogs(logs); err != nil {
		t.Error(err)
	}
	for _, file := range []string{recordFile, filepath.Join(c.NodeName(), "kubelet.log")} {
		if info, err := os.Stat(filepath.Join(logs, file)); err != nil || info.Size() == 0 {
			t.Errorf("log %s: %v", file, err)
		}
	}
	if out, err := exec.CommandContext(ctx, "docker", "kill", c.NodeName()).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	select {
	case <-c.Lost():
		if !strings.Contains(c.Err().Error(), c.NodeName()) {
			t.Error(c.Err())
		}
	case <-ctx.Done():
		t.Error("the end of a node was not detected")
	}
	closed = true
	if err := c.Close(ctx); err != nil {
		t.Error(err)
	}
	nothingLeft(t, config.Name)
}

// An interrupt during the start leaves nothing, and the error reports it.
func TestRealInterrupt(t *testing.T) {
	config := real(t, "kgrace-test-cut")
	ctx, cancel := context.WithCancelCause(t.Context())
	made := func() bool {
		out, _ := exec.Command("docker", "ps", "--quiet", "--filter", "name="+config.Name).Output()
		return len(strings.Fields(string(out))) == 2
	}
	go func() {
		for !made() && ctx.Err() == nil {
			time.Sleep(pause)
		}
		cancel(errors.New("enough"))
	}()
	if _, err := Up(ctx, config); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("got %v", err)
	}
	nothingLeft(t, config.Name)
}

// What a killed run left under the name is deleted before a new cluster is created; this test interrupts right then.
func TestRealLeftovers(t *testing.T) {
	config := real(t, "kgrace-test-left")
	out, err := exec.Command("docker", "run", "--detach", "--name", config.Name+"-worker", "--label", "io.x-k8s.kind.cluster="+config.Name,
		"--label", "io.x-k8s.kind.role=worker", "--entrypoint", "sleep", config.Image, "600").CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	c := &Cluster{config: config, lost: make(chan struct{})}
	if c.layout, err = newLayout(config.Name); err != nil {
		t.Fatal(err)
	}
	c.Plain = newPlain(config.Name, c.layout.kubeconfig(), config.Log)
	if err := c.clear(); err != nil {
		t.Error(err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	nothingLeft(t, config.Name)
}
