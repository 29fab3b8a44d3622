// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// hopeless lists the reasons for which a waiting container will not start, with advice.
var hopeless = map[string]string{
	"ImagePullBackOff":           "name an image that this node can pull (--image)",
	"ErrImageNeverPull":          "name an image that this node has (--image)",
	"InvalidImageName":           "name another image (--image)",
	"CreateContainerConfigError": "look at its message; a cluster that picks user IDs wants --user -1",
	"CreateContainerError":       "look at its message",
	"RunContainerError":          "the image needs sh in its path",
}

// running reports whether a pod runs, and returns an error if it never will.
func running(p *corev1.Pod) (bool, error) {
	if p == nil {
		return false, nil
	}
	if p.DeletionTimestamp != nil {
		return false, errors.New("somebody else deleted it")
	}
	for _, s := range p.Status.ContainerStatuses {
		if s.State.Running != nil {
			return true, nil
		}
		if w := s.State.Waiting; w != nil && hopeless[w.Reason] != "" {
			return false, fmt.Errorf("%s: %s; %s", w.Reason, oneLine(w.Message), hopeless[w.Reason])
		}
		if e := s.State.Terminated; e != nil {
			return false, fmt.Errorf("its process ended with exit code %d, %s: %s; the image needs a shell and sleep", e.ExitCode, e.Reason, oneLine(e.Message))
		}
	}
	if p.Status.Phase == corev1.PodFailed || p.Status.Phase == corev1.PodSucceeded {
		return false, fmt.Errorf("%s: %s", p.Status.Reason, oneLine(p.Status.Message))
	}
	return false, nil
}

// state describes briefly what a pod that does not run is waiting for.
func state(p *corev1.Pod) string {
	if p == nil {
		return "it is not there"
	}
	for _, s := range p.Status.ContainerStatuses {
		if w := s.State.Waiting; w != nil {
			return strings.TrimSpace(w.Reason + " " + oneLine(w.Message))
		}
	}
	if len(p.Status.Conditions) == 0 {
		return "the kubelet has not said anything of it"
	}
	return string(p.Status.Phase)
}

// create creates a pod. The service account of a new namespace may take a moment to appear. The request outlives an interrupt,
// so that its result is known.
func (r *run) create(ctx context.Context, p *corev1.Pod) (*corev1.Pod, error) {
	for tries := 0; ; tries++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		callCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
		made, err := r.pods.Create(callCtx, p, metav1.CreateOptions{})
		cancel()
		if err == nil {
			return made, nil
		}
		early := apierrors.IsForbidden(err) && strings.Contains(err.Error(), "serviceaccount")
		if !early || tries >= 30 || !pause(ctx, retryAfter) {
			return nil, err
		}
	}
}

// remove deletes a pod, but only the one that this run created.
func (r *run) remove(ctx context.Context, p *corev1.Pod, grace int64) error {
	uid := types.UID(p.UID)
	return r.pods.Delete(ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: &grace, Preconditions: &metav1.Preconditions{UID: &uid}})
}

// oneLine shortens messages of others to one line.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 200 {
		s = s[:200] + "…"
	}
	return s
}
