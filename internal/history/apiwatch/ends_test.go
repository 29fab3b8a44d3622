// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package apiwatch

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kgrace/kgrace/internal/history"
)

func TestEndsAreToldOnce(t *testing.T) {
	status := func(name string, code int32, message string) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: name, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: code, Reason: "Error", Message: message}}}
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "1"}}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	var ends Ends
	if got := ends.See(pod); got != nil {
		t.Errorf("a running container has no end: %+v", got)
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{status("main", 1, "why")}
	pod.Status.InitContainerStatuses = []corev1.ContainerStatus{status("sidecar", 0, "")}
	got := ends.See(pod)
	if len(got) != 2 || got[0].Container != "sidecar" || *got[0].ExitCode != 0 || got[1].Container != "main" ||
		*got[1].ExitCode != 1 || got[1].Message != "why" || got[1].Kind != history.APIContainer || got[1].Pod != "p" || got[1].At.IsZero() {
		t.Errorf("%+v", got)
	}
	if got := ends.See(pod); got != nil {
		t.Errorf("recorded twice: %+v", got)
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{status("main", 137, "why")}
	if got := ends.See(pod); len(got) != 1 || *got[0].ExitCode != 137 {
		t.Errorf("another exit of the same container: %+v", got)
	}
}
