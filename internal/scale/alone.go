// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/player"
	"github.com/kgrace/kgrace/internal/podspec"
)

// alone plays a part without a kubelet: once the pods run, a program that only ends pods takes the kubelet's place (control.Stop),
// and the kubelet comes back to clean up.
func (n *node) alone(ctx context.Context, o Options, part Part, pods int) (_ history.History, err error) {
	w, err := n.start(ctx, o, part, Alone, pods)
	if err != nil {
		return history.History{}, err
	}
	if err := player.Until(ctx, time.Now().Add(calm)); err != nil {
		return history.History{}, err
	}
	if err := n.KillKubelet(ctx); err != nil {
		return history.History{}, err
	}
	if err := n.StartStopper(ctx, n.endpoint); err != nil {
		return history.History{}, err
	}
	w.each(ctx, w.deletes)
	if err := w.ended(ctx); err != nil {
		return history.History{}, err
	}
	h := w.close()
	if err := n.StopStopper(ctx); err != nil {
		return h, err
	}
	if err := n.StartKubelet(ctx); err != nil {
		return h, err
	}
	return h, n.client.CoreV1().Pods(podspec.Namespace).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{})
}
