// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package e2enode

import (
	"context"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/namespace"
)

// untaint removes the taint that the API server sets on every new node. A node lifecycle controller would do so once the
// node is Ready, which it is. The suite's own API server does not set it in the first place.
func untaint(ctx context.Context, config *rest.Config, node string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, []byte(`{"spec":{"taints":null}}`), metav1.PatchOptions{})
	return err
}

// resync is the interval at which the controller checks every namespace again.
const resync = 5 * time.Minute

// collectNamespaces runs Kubernetes' namespace controller until stop is called: our node has no controllers, and specs
// leave the removal of their pods to the deletion of their namespace.
func collectNamespaces(ctx context.Context, config *rest.Config) (stop func(), err error) {
	config.WarningHandler = rest.NoWarnings{} // it lists everything, including deprecated resources
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	data, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(klog.NewContext(ctx, klog.Logger{})) // a logger that discards everything
	factory := informers.NewSharedInformerFactory(client, resync)
	controller := namespace.NewNamespaceController(ctx, client, data, client.Discovery().ServerPreferredNamespacedResources,
		factory.Core().V1().Namespaces(), resync, v1.FinalizerKubernetes)
	factory.Start(ctx.Done())
	var done sync.WaitGroup
	done.Go(func() { controller.Run(ctx, 2) })
	return func() {
		cancel()
		done.Wait()
		factory.Shutdown()
	}, nil
}
