// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package apiwatch

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kgrace/kgrace/internal/history"
)

// Ends detects container exits in the statuses of pods and reports each one once. The zero value has seen none. It is not safe
// for concurrent use.
type Ends struct{ seen map[string]bool }

// See returns the history events for the exits in a pod's status that it has not seen before.
func (e *Ends) See(pod *corev1.Pod) []history.Event {
	if e.seen == nil {
		e.seen = map[string]bool{}
	}
	var all []history.Event
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		ended := s.State.Terminated
		if ended == nil {
			continue
		}
		statement := fmt.Sprintf("%s/%s/%s/%d/%s/%s", pod.UID, s.Name, ended.ContainerID, ended.ExitCode, ended.Reason, ended.Message)
		if e.seen[statement] {
			continue
		}
		e.seen[statement] = true
		code := ended.ExitCode
		all = append(all, history.Event{Kind: history.APIContainer, At: time.Now(), Pod: pod.Name, Container: s.Name,
			ExitCode: &code, Reason: ended.Reason, Message: ended.Message})
	}
	return all
}
