// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/tools/cache"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/player"
	"github.com/kgrace/kgrace/internal/podspec"
)

// alone plays a part without a kubelet: it kills the kubelet once the pods run, sends the same requests, makes the stop calls
// itself as the API server reports each request, and starts the kubelet again to clean up.
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
	if err := w.stopAll(ctx); err != nil {
		return history.History{}, err
	}
	h := w.close()
	if err := n.StartKubelet(ctx); err != nil {
		return h, err
	}
	return h, n.client.CoreV1().Pods(podspec.Namespace).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{})
}

// container is the container of a pod at the runtime.
type container struct{ id, sandbox string }

// stopAll sends the part's requests. For each that a watch of the API server shows it makes the stop call, the second beside the
// first, and it stops each sandbox when its container is down.
func (w *wave) stopAll(ctx context.Context) error {
	conn, err := grpc.NewClient("unix://"+w.endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	s := &stopper{runtime: runtimeapi.NewRuntimeServiceClient(conn), part: w.part, left: map[string][]Request{}, down: map[string]bool{}}
	if s.containers, err = running(ctx, s.runtime); err != nil {
		return err
	}
	for _, name := range w.names {
		if _, ok := s.containers[name]; !ok {
			return fmt.Errorf("the runtime has no running container of pod %s", name)
		}
		s.left[name] = w.part.Requests
	}
	calling, stop := context.WithCancel(ctx)
	pods := cache.NewListWatchFromClient(w.client.CoreV1().RESTClient(), "pods", podspec.Namespace, fields.OneTermEqualSelector("spec.nodeName", w.NodeName()))
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{ListerWatcher: pods, ObjectType: &v1.Pod{}, Handler: cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, new any) {
			if pod := new.(*v1.Pod); pod.DeletionGracePeriodSeconds != nil {
				s.saw(calling, pod.Name, *pod.DeletionGracePeriodSeconds)
			}
		},
		DeleteFunc: func(old any) {
			if name, err := cache.DeletionHandlingMetaNamespaceKeyFunc(old); err == nil {
				s.saw(calling, name[strings.Index(name, "/")+1:], 0)
			}
		},
	}})
	var watch sync.WaitGroup
	watch.Go(func() { informer.RunWithContext(calling) })
	defer watch.Wait()
	defer stop()
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("wait for the pods of the API server: %w", context.Cause(ctx))
	}
	w.each(ctx, w.deletes)
	if err := w.ended(ctx); err != nil {
		return err
	}
	s.calls.Wait()
	return s.failed
}

// stopper makes the stop calls of a part.
type stopper struct {
	runtime    runtimeapi.RuntimeServiceClient
	part       Part
	containers map[string]container

	calls  sync.WaitGroup
	mu     sync.Mutex
	left   map[string][]Request // the requests not yet seen, by pod
	down   map[string]bool      // the containers whose sandbox is stopped
	failed error
}

// saw makes the stop call of a request; an update that repeats one makes none.
func (s *stopper) saw(ctx context.Context, pod string, grace int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.left[pod]
	i := slices.IndexFunc(left, func(r Request) bool { return r.Grace == grace })
	if i < 0 {
		return
	}
	timeout := s.part.stopTimeout(len(s.part.Requests) - len(left) + i)
	s.left[pod] = left[i+1:]
	s.calls.Go(func() {
		_, err := s.runtime.StopContainer(ctx, &runtimeapi.StopContainerRequest{ContainerId: s.containers[pod].id, Timeout: timeout})
		s.mu.Lock()
		first := !s.down[pod]
		s.down[pod] = s.down[pod] || err == nil
		s.mu.Unlock()
		if err == nil && first {
			_, err = s.runtime.StopPodSandbox(ctx, &runtimeapi.StopPodSandboxRequest{PodSandboxId: s.containers[pod].sandbox})
		}
		if err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.failed = errors.Join(s.failed, fmt.Errorf("stop %s: %w", pod, err))
		}
	})
}

// running lists the running containers by the names of their pods.
func running(ctx context.Context, runtime runtimeapi.RuntimeServiceClient) (map[string]container, error) {
	list, err := runtime.ListContainers(ctx, &runtimeapi.ListContainersRequest{Filter: &runtimeapi.ContainerFilter{
		State: &runtimeapi.ContainerStateValue{State: runtimeapi.ContainerState_CONTAINER_RUNNING},
	}})
	if err != nil {
		return nil, err
	}
	found := map[string]container{}
	for _, c := range list.Containers {
		found[c.Labels["io.kubernetes.pod.name"]] = container{c.Id, c.PodSandboxId}
	}
	return found, nil
}
