// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/player"
	"github.com/kgrace/kgrace/internal/podspec"
)

// alone plays a part without a kubelet: it kills the kubelet once the pods run, makes the stop calls itself, and starts the
// kubelet again to clean up.
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
	if err := w.ended(ctx); err != nil {
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

// stopAll makes the part's stop calls for all pods at once, the second beside the first, and stops each sandbox when its
// container is down.
func (w *wave) stopAll(ctx context.Context) error {
	conn, err := grpc.NewClient("unix://"+w.endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	runtime := runtimeapi.NewRuntimeServiceClient(conn)
	containers, err := running(ctx, runtime)
	if err != nil {
		return err
	}
	for _, name := range w.names {
		if _, ok := containers[name]; !ok {
			return fmt.Errorf("the runtime has no running container of pod %s", name)
		}
	}
	var calls sync.WaitGroup
	var mu sync.Mutex
	var failed error
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		failed = errors.Join(failed, err)
	}
	down := make(map[string]func())
	for _, name := range w.names {
		down[name] = sync.OnceFunc(func() {
			calls.Go(func() {
				_, err := runtime.StopPodSandbox(ctx, &runtimeapi.StopPodSandboxRequest{PodSandboxId: containers[name].sandbox})
				if err != nil {
					fail(fmt.Errorf("stop the sandbox of %s: %w", name, err))
				}
			})
		})
	}
	w.each(ctx, func(ctx context.Context, i int, pod string) {
		calls.Go(func() {
			_, err := runtime.StopContainer(ctx, &runtimeapi.StopContainerRequest{ContainerId: containers[pod].id, Timeout: w.part.stopTimeout(i)})
			if err != nil {
				fail(fmt.Errorf("stop the container of %s: %w", pod, err))
				return
			}
			down[pod]()
		})
	})
	calls.Wait()
	return failed
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
