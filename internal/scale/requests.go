// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kgrace/kgrace/internal/podspec"
)

// nowhere is a node that does not exist: no kubelet acts on its pods.
const nowhere = "nowhere"

// requestsAlone returns how many seconds as many force deletes take, sent as those of a wave are, if nothing acts on them: the
// work of the client, the API server and etcd. With the pods on a node, it competes with the runtime's for the machine.
func (n *node) requestsAlone(ctx context.Context, pods int) (float64, error) {
	each := func(do func(ctx context.Context, name string) error) error {
		group, ctx := errgroup.WithContext(ctx)
		for i := range pods {
			group.Go(func() error { return do(ctx, fmt.Sprintf("%s-%03d", nowhere, i+1)) })
		}
		return group.Wait()
	}
	if err := each(func(ctx context.Context, name string) error { return n.create(ctx, name, nowhere, Grace) }); err != nil {
		return 0, err
	}
	begin := time.Now()
	err := each(func(ctx context.Context, name string) error {
		return n.client.CoreV1().Pods(podspec.Namespace).Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
	})
	return round(time.Since(begin).Seconds()), err
}
