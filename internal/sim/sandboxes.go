// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// sandbox is a pod's sandbox. Its fields need the runtime's lock.
type sandbox struct {
	id      string
	config  *runtimev1.PodSandboxConfig
	handler string
	created time.Time
	ready   bool
	// ip is its address; "" in the node's network.
	ip string
}

func (s *sandbox) state() runtimev1.PodSandboxState {
	if s.ready {
		return runtimev1.PodSandboxState_SANDBOX_READY
	}
	return runtimev1.PodSandboxState_SANDBOX_NOTREADY
}

// sandbox returns the sandbox with the given id. mu is held.
func (rt *Runtime) sandbox(id string) (*sandbox, error) {
	s, ok := rt.sandboxes.get(id)
	if !ok {
		return nil, fmt.Errorf("an error occurred when try to find sandbox %q: %w", id, errNotFound)
	}
	return s, nil
}

// inside returns the containers of a sandbox. mu is held.
func (rt *Runtime) inside(s *sandbox) []*container {
	var list []*container
	for _, c := range rt.containers.all() {
		if c.sandbox == s {
			list = append(list, c)
		}
	}
	return list
}

// RunPodSandbox creates a sandbox, ready at once or after Options.RunLatency.
func (rt *Runtime) RunPodSandbox(ctx context.Context, config *runtimev1.PodSandboxConfig, handler string) (string, error) {
	request := &runtimev1.RunPodSandboxRequest{Config: config, RuntimeHandler: handler}
	return call(ctx, rt, method{name: "RunPodSandbox", limit: 2 * patience}, request, func(ctx context.Context) (string, error) {
		if err := pause(ctx, rt.options.RunLatency); err != nil {
			return "", err
		}
		rt.mu.Lock()
		defer rt.mu.Unlock()
		m := config.GetMetadata()
		if m.GetName() == "" {
			return "", errors.New("sandbox config must include metadata with a name")
		}
		for _, other := range rt.sandboxes.all() {
			o := other.config.GetMetadata()
			if o.GetUid() == m.GetUid() && o.GetName() == m.GetName() && o.GetNamespace() == m.GetNamespace() && o.GetAttempt() == m.GetAttempt() {
				return "", fmt.Errorf("failed to reserve sandbox name %q: name is reserved for %q", m.GetName(), other.id)
			}
		}
		s := &sandbox{id: rt.newID("sandbox"), config: config, handler: handler, created: time.Now(), ready: true}
		if config.GetLinux().GetSecurityContext().GetNamespaceOptions().GetNetwork() != runtimev1.NamespaceMode_NODE {
			s.ip = fmt.Sprintf("10.88.%d.%d", rt.made/250%250, rt.made%250+2)
		}
		rt.sandboxes.add(s.id, s)
		rt.pods[s.id] = m.GetName()
		rt.announce(s.id, s, runtimev1.ContainerEventType_CONTAINER_CREATED_EVENT)
		rt.announce(s.id, s, runtimev1.ContainerEventType_CONTAINER_STARTED_EVENT)
		return s.id, nil
	})
}

// StopPodSandbox stops the containers of a sandbox, then the sandbox. Stopping an unknown sandbox succeeds.
func (rt *Runtime) StopPodSandbox(ctx context.Context, id string) error {
	_, err := call(ctx, rt, method{name: "StopPodSandbox", limit: patience}, &runtimev1.StopPodSandboxRequest{PodSandboxId: id}, func(ctx context.Context) (any, error) {
		rt.mu.Lock()
		s, ok := rt.sandboxes.get(id)
		rt.mu.Unlock()
		if !ok {
			return nil, nil
		}
		return nil, rt.stopSandbox(ctx, s)
	})
	return err
}

func (rt *Runtime) stopSandbox(ctx context.Context, s *sandbox) error {
	rt.mu.Lock()
	list := rt.inside(s)
	rt.mu.Unlock()
	if err := rt.variant().stopAll(ctx, list); err != nil {
		return err
	}
	if err := pause(ctx, rt.options.SandboxLatency); err != nil {
		return err
	}
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if s.ready {
		s.ready = false
		rt.announce(s.id, s, runtimev1.ContainerEventType_CONTAINER_STOPPED_EVENT)
	}
	return nil
}

// LoseSandbox ends the sandboxes of a pod, but not their containers.
func (rt *Runtime) LoseSandbox(pod string) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	for _, s := range rt.sandboxes.all() {
		if rt.pods[s.id] == pod && s.ready {
			s.ready = false
			rt.announce(s.id, s, runtimev1.ContainerEventType_CONTAINER_STOPPED_EVENT)
		}
	}
}

// dropSandbox removes a sandbox from the table; it reports whether it was there. mu is held.
func (rt *Runtime) dropSandbox(s *sandbox) bool {
	_, there := rt.sandboxes.get(s.id)
	rt.sandboxes.remove(s.id)
	return there
}

// RemovePodSandbox removes a sandbox with its containers, running or not. Removing an unknown sandbox succeeds.
func (rt *Runtime) RemovePodSandbox(ctx context.Context, id string) error {
	_, err := call(ctx, rt, method{name: "RemovePodSandbox", limit: patience}, &runtimev1.RemovePodSandboxRequest{PodSandboxId: id}, func(ctx context.Context) (any, error) {
		rt.mu.Lock()
		s, ok := rt.sandboxes.get(id)
		rt.mu.Unlock()
		if !ok {
			return nil, nil
		}
		return nil, rt.variant().removeSandbox(ctx, s)
	})
	return err
}

// PodSandboxStatus returns the status of a sandbox.
func (rt *Runtime) PodSandboxStatus(ctx context.Context, id string, verbose bool) (*runtimev1.PodSandboxStatusResponse, error) {
	request := &runtimev1.PodSandboxStatusRequest{PodSandboxId: id, Verbose: verbose}
	return look(ctx, rt, method{name: "PodSandboxStatus"}, request, func(context.Context) (*runtimev1.PodSandboxStatusResponse, error) {
		rt.mu.Lock()
		defer rt.mu.Unlock()
		s, err := rt.sandbox(id)
		if err != nil {
			return nil, err
		}
		return &runtimev1.PodSandboxStatusResponse{Status: s.status()}, nil
	})
}

func (s *sandbox) status() *runtimev1.PodSandboxStatus {
	return &runtimev1.PodSandboxStatus{
		Id: s.id, Metadata: s.config.GetMetadata(), State: s.state(), CreatedAt: s.created.UnixNano(),
		Network: &runtimev1.PodSandboxNetworkStatus{Ip: s.ip},
		Linux: &runtimev1.LinuxPodSandboxStatus{Namespaces: &runtimev1.Namespace{
			Options: s.config.GetLinux().GetSecurityContext().GetNamespaceOptions(),
		}},
		Labels: s.config.GetLabels(), Annotations: s.config.GetAnnotations(), RuntimeHandler: s.handler,
	}
}

// ListPodSandbox lists sandboxes in the order of their creation.
func (rt *Runtime) ListPodSandbox(ctx context.Context, filter *runtimev1.PodSandboxFilter) ([]*runtimev1.PodSandbox, error) {
	request := &runtimev1.ListPodSandboxRequest{Filter: filter}
	return look(ctx, rt, method{name: "ListPodSandbox"}, request, func(context.Context) ([]*runtimev1.PodSandbox, error) {
		rt.mu.Lock()
		defer rt.mu.Unlock()
		var list []*runtimev1.PodSandbox
		for _, s := range rt.sandboxes.all() {
			if filter.GetId() != "" && filter.GetId() != s.id || filter.GetState() != nil && filter.GetState().GetState() != s.state() ||
				!matches(filter.GetLabelSelector(), s.config.GetLabels()) {
				continue
			}
			list = append(list, &runtimev1.PodSandbox{
				Id: s.id, Metadata: s.config.GetMetadata(), State: s.state(), CreatedAt: s.created.UnixNano(),
				Labels: s.config.GetLabels(), Annotations: s.config.GetAnnotations(), RuntimeHandler: s.handler,
			})
		}
		return list, nil
	})
}

func matches(selector, labels map[string]string) bool {
	for key, value := range selector {
		if labels[key] != value {
			return false
		}
	}
	return true
}
