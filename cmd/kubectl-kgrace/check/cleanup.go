// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Cleanup removes what killed runs left behind: their namespaces and, if c.Namespace is given, pods in it. Objects that a run
// may still use (UntilAnnotation) stay and are reported.
func Cleanup(ctx context.Context, c Config) error {
	if c.Namespace != "" {
		used := map[string]bool{}
		err := removePods(ctx, c.Client, c.Namespace, "", func(p *corev1.Pod) bool {
			left := leftBehind(p)
			if !left && !used[p.Name] {
				used[p.Name] = true
				c.logf("pod %s/%s stays: a run may use it until %s", c.Namespace, p.Name, p.Annotations[UntilAnnotation])
			}
			return left
		})
		if err == nil {
			c.logf("namespace %s: nothing more to remove", c.Namespace)
		}
		return err
	}
	list, err := c.Client.Core.Namespaces().List(ctx, metav1.ListOptions{LabelSelector: RunLabel})
	if err != nil {
		return fmt.Errorf("list namespaces: %w; --cleanup with --namespace looks into one alone", err)
	}
	for i := range list.Items {
		n := &list.Items[i]
		if !leftBehind(n) {
			c.logf("namespace %s stays: a run may use it until %s", n.Name, n.Annotations[UntilAnnotation])
			continue
		}
		if err := removePods(ctx, c.Client, n.Name, "", func(*corev1.Pod) bool { return true }); err != nil {
			return err
		}
		if err := removeNamespace(ctx, c.Client, n.Name); err != nil {
			return err
		}
		c.logf("namespace %s: removed", n.Name)
	}
	c.logf("nothing more to remove")
	return nil
}

// leftBehind reports whether the time in an object's UntilAnnotation has passed. An object without a valid time is not removed.
func leftBehind(thing metav1.Object) bool {
	until, err := time.Parse(time.RFC3339, thing.GetAnnotations()[UntilAnnotation])
	return err == nil && time.Now().After(until)
}
