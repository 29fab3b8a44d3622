//go:build !kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package podspec

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kgrace/kgrace/internal/scenario"
)

func catalogue(t *testing.T) []scenario.Scenario {
	t.Helper()
	all, err := scenario.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func row(t *testing.T, id string) scenario.Scenario {
	t.Helper()
	all, err := scenario.Pick(catalogue(t), scenario.LevelNode, id)
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

func TestPod(t *testing.T) {
	pod := Pod(row(t, "sidecar-order").At(scenario.LevelNode), "node-1", "/run/x/lines")
	if pod.Name != "sidecar-order" || pod.Spec.NodeName != "node-1" || !pod.Spec.HostNetwork || *pod.Spec.TerminationGracePeriodSeconds != 60 {
		t.Errorf("pod: %+v", pod)
	}
	var args [][]string
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		args = append(args, c.Args)
		if c.ImagePullPolicy != corev1.PullNever || c.VolumeMounts[0].MountPath != LinesMount {
			t.Errorf("container %s: %+v", c.Name, c)
		}
	}
	want := [][]string{{"run", "--exit-on-term"}, {"run", "--exit-on-term"}, {"run", "--exit-after-term", "2s"}}
	if diff := cmp.Diff(want, args); diff != "" {
		t.Error(diff)
	}
	if policy := pod.Spec.InitContainers[0].RestartPolicy; policy == nil || *policy != corev1.ContainerRestartPolicyAlways {
		t.Error("a sidecar is a restartable init container")
	}
}

func TestPodHooks(t *testing.T) {
	hook := func(id string) *corev1.LifecycleHandler {
		pod := Pod(row(t, id).At(scenario.LevelNode), "n", "/l")
		return pod.Spec.Containers[0].Lifecycle.PreStop
	}
	if got := hook("hook-exec-shorten").Exec.Command; !slices.Equal(got, []string{"/actor", "hook", "--for", "forever"}) {
		t.Error(got)
	}
	if got := hook("hook-running-not-restarted").Exec.Command; !slices.Equal(got, []string{"/actor", "hook", "--for", "8s"}) {
		t.Error(got)
	}
	if got := hook("hook-sleep-shorten").Sleep.Seconds; got != 17 {
		t.Error(got)
	}
	if got := hook("hook-http-shorten").HTTPGet.Port.IntValue(); got != scenario.HTTPPort {
		t.Error(got)
	}
}
