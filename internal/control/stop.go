// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Stop ends the pods of a node in place of a kubelet until ctx ends, with the fewest calls: StopContainer when the API server
// reports that a pod is to end, another with what is left of the grace period when it reports a shorter one, StopPodSandbox when
// the container is down. A call that fails is repeated, and returned as an error if none succeeded. It knows the containers that
// run when it begins, and calls ready when it watches. It reports no status: only force deleted pods leave the API.
func Stop(ctx context.Context, client kubernetes.Interface, node string, runtime runtimeapi.RuntimeServiceClient, ready func()) error {
	list, err := runtime.ListContainers(ctx, &runtimeapi.ListContainersRequest{Filter: &runtimeapi.ContainerFilter{
		State: &runtimeapi.ContainerStateValue{State: runtimeapi.ContainerState_CONTAINER_RUNNING},
	}})
	if err != nil {
		return fmt.Errorf("list the running containers: %w", err)
	}
	s := &stopping{ctx: ctx, runtime: runtime, pods: map[string]*stoppedPod{}, failed: map[string]error{}}
	for _, c := range list.Containers {
		name := c.Labels["io.kubernetes.pod.name"]
		if s.pods[name] == nil {
			s.pods[name] = &stoppedPod{sandbox: c.PodSandboxId, down: map[string]bool{}}
		}
		s.pods[name].containers = append(s.pods[name].containers, c.Id)
	}
	informer := inform(client, node, s)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var watching sync.WaitGroup
	watching.Go(func() { informer.RunWithContext(ctx) })
	if cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		ready()
	}
	watching.Wait()
	s.calls.Wait()
	return errors.Join(slices.Collect(maps.Values(s.failed))...)
}

// stopping handles the events of the watch.
type stopping struct {
	ctx     context.Context
	runtime runtimeapi.RuntimeServiceClient
	calls   sync.WaitGroup

	mu     sync.Mutex
	pods   map[string]*stoppedPod // by name
	failed map[string]error       // by what was to stop, until it has
}

// stoppedPod is what is known of a pod at the runtime.
type stoppedPod struct {
	sandbox    string
	containers []string
	// first is when the pod was first asked to end; zero before.
	first time.Time
	grace int64 // in seconds, from then
	down  map[string]bool
}

// OnAdd handles a pod that is there when the watch begins.
func (s *stopping) OnAdd(any, bool) {}

// OnUpdate handles a changed pod.
func (s *stopping) OnUpdate(_, now any) {
	if pod := now.(*corev1.Pod); pod.DeletionGracePeriodSeconds != nil {
		s.end(pod.Name, *pod.DeletionGracePeriodSeconds)
	}
}

// OnDelete handles a removed pod.
func (s *stopping) OnDelete(object any) {
	if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = last.Obj
	}
	if pod, ok := object.(*corev1.Pod); ok {
		s.end(pod.Name, 0)
	}
}

// end makes the stop calls for a grace period in seconds, unless the pod has a shorter one.
func (s *stopping) end(name string, grace int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pod := s.pods[name]
	if pod == nil || !pod.first.IsZero() && grace >= pod.grace {
		return
	}
	if pod.first.IsZero() {
		pod.first = time.Now()
	}
	pod.grace = grace
	for _, id := range pod.containers {
		s.calls.Go(func() { s.stop(pod, id, grace) })
	}
}

// stop stops a container, and the sandbox if it was the last one.
func (s *stopping) stop(pod *stoppedPod, id string, grace int64) {
	stopped := s.repeat(id, func() error {
		s.mu.Lock()
		shorter, left := pod.grace < grace, time.Until(pod.first.Add(time.Duration(grace)*time.Second))
		s.mu.Unlock()
		if shorter {
			return errShorter
		}
		timeout := max(int64((left+time.Second-1)/time.Second), 0)
		_, err := s.runtime.StopContainer(s.ctx, &runtimeapi.StopContainerRequest{ContainerId: id, Timeout: timeout})
		return err
	})
	if !stopped {
		return
	}
	s.mu.Lock()
	// Each call for a container returns when it is down.
	last := !pod.down[id] && len(pod.down) == len(pod.containers)-1
	pod.down[id] = true
	s.mu.Unlock()
	if last {
		s.repeat(pod.sandbox, func() error {
			_, err := s.runtime.StopPodSandbox(s.ctx, &runtimeapi.StopPodSandboxRequest{PodSandboxId: pod.sandbox})
			return err
		})
	}
}

// retry is the time between a call that failed and the next one.
const retry = time.Second

// errShorter ends the calls for a grace period when there are calls for a shorter one.
var errShorter = errors.New("a shorter grace period was asked for")

// repeat makes a call until it succeeds, as a kubelet does: a runtime with much to do fails some.
func (s *stopping) repeat(id string, call func() error) bool {
	for {
		err := call()
		s.mu.Lock()
		switch {
		case err == nil:
			delete(s.failed, id)
		case !errors.Is(err, errShorter) && s.ctx.Err() == nil:
			s.failed[id] = fmt.Errorf("stop %s: %w", id, err)
		}
		s.mu.Unlock()
		if err == nil || errors.Is(err, errShorter) {
			return err == nil
		}
		select {
		case <-time.After(retry):
		case <-s.ctx.Done():
			return false
		}
	}
}
