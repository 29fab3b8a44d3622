// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// TestDisturbed restarts each program that may be ended on purpose: the node is not lost, its pod keeps its container, and
// the node is ready afterwards. If one ends otherwise, the node is lost (TestKilled).
func TestDisturbed(t *testing.T) {
	bin := testPrograms(t)
	n := up(t, Config{Dir: filepath.Join(t.TempDir(), "node"), Name: testNode, Bin: bin, ParentDeath: true, KubeletDisk: 32 << 20, Log: &lineLog{t: t}})
	runPods(t, n, 1)
	client, err := kubernetes.NewForConfig(n.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	pod := func() *v1.Pod {
		pod, err := client.CoreV1().Pods(v1.NamespaceDefault).Get(t.Context(), "pod-0", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return pod
	}
	pids := func() map[string]int {
		status, err := n.Status(t.Context())
		if err != nil || len(status.Components) != 4 {
			t.Fatalf("status %+v, %v", status, err)
		}
		all := map[string]int{}
		for _, c := range status.Components {
			if !c.Running {
				t.Errorf("%s does not run", c.Name)
			}
			all[c.Name] = c.PID
		}
		return all
	}
	container, before := pod().Status.ContainerStatuses[0].ContainerID, pids()

	if err := n.StartKubelet(t.Context()); err == nil {
		t.Error("a second kubelet was started beside the first")
	}
	if err := n.KillKubelet(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := n.KillKubelet(t.Context()); err == nil || !strings.Contains(err.Error(), "kubelet does not run") {
		t.Errorf("killed twice: %v", err)
	}
	if err := n.StartKubelet(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := n.RestartRuntime(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := n.CutKubeletOff(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := n.LetKubeletList(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, do := range []func(context.Context) error{n.PauseKubelet, n.ResumeKubelet, n.CutKubeletOff, n.LetKubeletOn, n.RestartAPIServer, n.FillKubeletDisk, n.FreeKubeletDisk} {
		if err := do(t.Context()); err != nil {
			t.Fatalf("disturbance %d: %v", i, err)
		}
	}
	after := pids()
	for _, name := range []string{ProgramKubelet, ProgramContainerd, ProgramAPIServer} {
		if before[name] == after[name] {
			t.Errorf("%s still has pid %d", name, after[name])
		}
	}
	if before[ProgramEtcd] != after[ProgramEtcd] {
		t.Error("etcd was restarted")
	}
	if err := n.Err(); err != nil {
		t.Errorf("lost: %v", err)
	}
	// The kubelet reaches the API server again: it runs another pod.
	if _, err := client.CoreV1().Pods(v1.NamespaceDefault).Create(t.Context(), pausePod(n.NodeName(), "later"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := poll(t.Context(), func(ctx context.Context) error {
		later, err := client.CoreV1().Pods(v1.NamespaceDefault).Get(ctx, "later", metav1.GetOptions{})
		if err == nil && later.Status.Phase != v1.PodRunning {
			err = errors.New("the pod is " + string(later.Status.Phase))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if now := pod(); now.Status.ContainerStatuses[0].ContainerID != container || now.Status.ContainerStatuses[0].RestartCount != 0 ||
		now.Status.Phase != v1.PodRunning {
		t.Errorf("the pod did not survive: %+v", now.Status)
	}
}
