// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package upstreame2e

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
)

// kubelet returns the version that the kubelets of a cluster report. All nodes must have the same.
func kubelet(ctx context.Context, kubeconfig string) (string, error) {
	client, err := connect(kubeconfig)
	if err != nil {
		return "", err
	}
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	version := ""
	for _, n := range nodes.Items {
		got := n.Status.NodeInfo.KubeletVersion
		if version != "" && got != version {
			return "", fmt.Errorf("nodes with kubelets %s and %s: want one version", version, got)
		}
		version = got
	}
	if version == "" {
		return "", fmt.Errorf("the cluster of %s has no nodes", kubeconfig)
	}
	return version, nil
}

func connect(kubeconfig string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	return kubernetes.NewForConfig(config)
}

// asked counts, by image, the pods of a cluster that request it.
type asked struct {
	mu   sync.Mutex
	pods map[string]map[types.UID]bool
	stop func()
}

// watch starts counting with the existing pods. The cluster's own pods do not count.
func watch(ctx context.Context, kubeconfig string) (*asked, error) {
	client, err := connect(kubeconfig)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	a := &asked{pods: map[string]map[types.UID]bool{}}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Informer()
	if _, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { a.see(o) },
		UpdateFunc: func(_, o any) { a.see(o) },
	}); err != nil {
		cancel()
		return nil, err
	}
	factory.Start(ctx.Done())
	a.stop = func() { cancel(); factory.Shutdown() }
	if !cache.WaitForCacheSync(ctx.Done(), pods.HasSynced) {
		a.stop()
		return nil, fmt.Errorf("watch the pods of %s: %w", kubeconfig, ctx.Err())
	}
	return a, nil
}

func (a *asked) see(o any) {
	pod, ok := o.(*corev1.Pod)
	if !ok || pod.Namespace == metav1.NamespaceSystem {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for c := range podutil.ContainerIter(&pod.Spec, podutil.AllContainers) {
		if a.pods[c.Image] == nil {
			a.pods[c.Image] = map[types.UID]bool{}
		}
		a.pods[c.Image][pod.UID] = true
	}
}

// end ends the count and adds it to the images. It adds images that were not listed.
func (a *asked) end(images []Image) []Image {
	a.stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	for name, pods := range a.pods {
		known := false
		for i := range images {
			if images[i].Name == name {
				images[i].Pods += len(pods)
				known = true
			}
		}
		if !known {
			images = append(images, Image{Name: name, Pods: len(pods)})
		}
	}
	return images
}
