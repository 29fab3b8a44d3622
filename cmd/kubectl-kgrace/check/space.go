// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// closeTimeout bounds the cleanup of a run. It reports what is left then; `kgrace check --cleanup` removes that.
const closeTimeout = time.Minute

// open creates the namespace, if the run has one of its own.
func (r *run) open(ctx context.Context, nodes int) error {
	if r.own = r.space == ""; r.own {
		r.space = "kgrace-check-" + r.id
	}
	r.pods = r.Client.Core.Pods(r.space)
	r.tracker = newTracker(r.pods, r.id)
	if !r.own {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	_, err := r.Client.Core.Namespaces().Create(ctx, r.namespace(r.space, r.id, time.Now().Add(r.runTime(nodes))), metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create namespace %s: %w", r.space, err)
	}
	return nil
}

// close removes the pods of the run, and its namespace.
func (r *run) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	err := removePods(ctx, r.Client, r.space, r.id, func(*corev1.Pod) bool { return true })
	if r.own {
		err = errors.Join(err, removeNamespace(ctx, r.Client, r.space))
	}
	if err != nil {
		return fmt.Errorf("%w; remove what is left with kgrace check --cleanup", err)
	}
	return nil
}

// removePods removes the pods of a run that which selects, and waits until their objects are gone.
func removePods(ctx context.Context, c Client, space, run string, which func(*corev1.Pod) bool) error {
	selector := RunLabel
	if run != "" {
		selector += "=" + run
	}
	pods := c.Core.Pods(space)
	for {
		list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			return fmt.Errorf("list pods in namespace %s: %w", space, err)
		}
		left := 0
		for i := range list.Items {
			p := &list.Items[i]
			if !which(p) {
				continue
			}
			left++
			zero := int64(0)
			err := pods.Delete(ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: &zero, Preconditions: &metav1.Preconditions{UID: &p.UID}})
			if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
				return fmt.Errorf("delete pod %s/%s: %w", space, p.Name, err)
			}
		}
		if left == 0 {
			return nil
		}
		if !pause(ctx, retryAfter) {
			return fmt.Errorf("%d pods in namespace %s are still there", left, space)
		}
	}
}

// removeNamespace removes a namespace and waits until it is gone.
func removeNamespace(ctx context.Context, c Client, name string) error {
	err := c.Core.Namespaces().Delete(ctx, name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete namespace %s: %w", name, err)
	}
	for {
		_, err := c.Core.Namespaces().Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if !pause(ctx, retryAfter) {
			return fmt.Errorf("namespace %s is being deleted and still there", name)
		}
	}
}
