// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindcluster

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	kindexec "sigs.k8s.io/kind/pkg/exec"
	"sigs.k8s.io/yaml"

	"github.com/kgrace/kgrace/internal/history"
)

func good(t *testing.T) Config {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	return Config{Name: "kgrace-test", Image: "image", Programs: Programs{program, program, program}, LinesSocket: "lines.sock",
		Record: history.SinkFunc(func(history.Event) {})}
}

func TestConfigIsChecked(t *testing.T) {
	whole := good(t)
	if err := whole.complete(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Config){
		"want at most 40 lower case": func(c *Config) { c.Name = "Not a name" },
		"no node image":              func(c *Config) { c.Image = "" },
		"nothing to record into":     func(c *Config) { c.Record = nil },
		"the recorder":               func(c *Config) { c.Recorder = filepath.Join(t.TempDir(), "none") },
		"the control":                func(c *Config) { c.Beside = filepath.Join(t.TempDir(), "none") },
		"the containers' actor":      func(c *Config) { c.Actor = filepath.Join(t.TempDir(), "none") },
	} {
		c := good(t)
		change(&c)
		if _, err := Up(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestClusterConfig(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	l, err := newLayout("kgrace-test")
	if err != nil {
		t.Fatal(err)
	}
	c := good(t)
	config := clusterConfig(c, l)
	if len(config.Nodes) != 2 {
		t.Fatalf("nodes: %+v", config.Nodes)
	}
	control, worker := config.Nodes[0], config.Nodes[1]
	if control.Role != v1alpha4.ControlPlaneRole || worker.Role != v1alpha4.WorkerRole || control.Image != "image" || worker.Image != "image" {
		t.Errorf("nodes: %+v", config.Nodes)
	}
	var settings struct {
		Kind, SyncFrequency string
		FailCgroupV1        *bool
	}
	var joined struct {
		Kind             string
		NodeRegistration struct{ CRISocket string }
	}
	if err := errors.Join(yaml.Unmarshal([]byte(config.KubeadmConfigPatches[0]), &settings),
		yaml.Unmarshal([]byte(worker.KubeadmConfigPatches[0]), &joined)); err != nil {
		t.Fatal(err)
	}
	if settings.Kind != "KubeletConfiguration" || settings.SyncFrequency != "30s" || settings.FailCgroupV1 == nil {
		t.Errorf("kubelets: %s", config.KubeadmConfigPatches[0])
	}
	if joined.Kind != "JoinConfiguration" || joined.NodeRegistration.CRISocket != "unix://"+criSocket {
		t.Errorf("the worker's kubelet does not get the recorder: %s", worker.KubeadmConfigPatches[0])
	}
	if len(control.KubeadmConfigPatches) != 0 || len(control.ExtraMounts) != 0 {
		t.Errorf("the control plane's node was changed: %+v", control)
	}
	for _, m := range worker.ExtraMounts {
		if _, err := os.Stat(m.HostPath); err != nil {
			t.Errorf("mount %+v: %v", m, err)
		}
	}
	if err := l.remove(); err != nil {
		t.Error(err)
	}
}

// A name has one user at a time and is free again afterwards.
func TestANameIsTakenOnce(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	first, err := take("kgrace-test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := take("kgrace-test"); err == nil || !strings.Contains(err.Error(), "in use by another run") {
		t.Errorf("got %v", err)
	}
	if err := release(first); err != nil {
		t.Fatal(err)
	}
	again, err := take("kgrace-test")
	if err != nil {
		t.Fatal(err)
	}
	if err := release(again); err != nil {
		t.Error(err)
	}
}

func TestSweep(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for _, name := range []string{"kgrace-test-123", "kgrace-test-other-123", "kgrace-test", "kgrace-test-12x"} {
		if err := os.MkdirAll(filepath.Join(temp, name, "lines"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := sweep("kgrace-test"); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(left) != 3 {
		t.Errorf("left: %v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(temp, "kgrace-test-123")); !os.IsNotExist(err) {
		t.Errorf("a killed run's directory: %v", err)
	}
}

// If Up fails before it creates nodes, it leaves nothing: no directory, no lock.
func TestUpLeavesNothing(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("PATH", t.TempDir()) // no docker
	if _, err := Up(t.Context(), good(t)); err == nil || !strings.Contains(err.Error(), "list the nodes in the Docker engine") {
		t.Errorf("got %v", err)
	}
	left, err := filepath.Glob(filepath.Join(temp, "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestSaid(t *testing.T) {
	err := &kindexec.RunError{Command: []string{"kubeadm"}, Output: []byte("many\nwords\n"), Inner: errors.New("exit status 1")}
	if got := said(err); got != "\nmany\nwords" {
		t.Errorf("%q", got)
	}
	if got := said(errors.New("other")); got != "" {
		t.Errorf("%q", got)
	}
}

func TestIsReady(t *testing.T) {
	node := func(status corev1.ConditionStatus) *corev1.Node {
		return &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}}}
	}
	if !isReady(node(corev1.ConditionTrue)) || isReady(node(corev1.ConditionUnknown)) || isReady(&corev1.Node{}) || isReady(&corev1.Pod{}) {
		t.Error("only a node that reports Ready is ready")
	}
}

func TestWarningsAreProgress(t *testing.T) {
	var out bytes.Buffer
	l := logger{&Plain{name: "c", log: &out}}
	l.Warnf("old %s\n", "cgroups")
	l.V(0).Info("all fine")
	if got := out.String(); got != "cluster c: kind: old cgroups\n" {
		t.Errorf("%q", got)
	}
}
