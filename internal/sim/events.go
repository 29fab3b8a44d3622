// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// listener is one subscription to container events. Its queue needs the runtime's lock.
type listener struct {
	queue []*runtimev1.ContainerEventResponse
	// more has room for one wake-up.
	more chan struct{}
}

// announce sends an event about a container, or about a sandbox by its own id, to the subscribers. mu is held.
func (rt *Runtime) announce(id string, s *sandbox, kind runtimev1.ContainerEventType) {
	if len(rt.listeners) == 0 || rt.serving == nil {
		return
	}
	e := &runtimev1.ContainerEventResponse{
		ContainerId: id, ContainerEventType: kind, CreatedAt: time.Now().UnixNano(), PodSandboxStatus: s.status(),
	}
	for _, c := range rt.inside(s) {
		e.ContainersStatuses = append(e.ContainersStatuses, c.status())
	}
	for _, l := range rt.listeners {
		l.queue = append(l.queue, e)
		select {
		case l.more <- struct{}{}:
		default:
		}
	}
}

// GetContainerEvents sends events from now on until the context or the daemon ends. It calls established with nil, because
// there is no stream behind it.
func (rt *Runtime) GetContainerEvents(ctx context.Context, into chan *runtimev1.ContainerEventResponse, established func(eventsClient)) error {
	l := &listener{more: make(chan struct{}, 1)}
	rt.mu.Lock()
	life := rt.serving
	if life == nil {
		rt.mu.Unlock()
		return errUnavailable()
	}
	rt.listeners = append(rt.listeners, l)
	rt.mu.Unlock()
	defer rt.unsubscribe(l)
	if established != nil {
		established(nil)
	}
	for {
		rt.mu.Lock()
		queue := l.queue
		l.queue = nil
		rt.mu.Unlock()
		for _, e := range queue {
			select {
			case into <- e:
			case <-ctx.Done():
				return status.FromContextError(ctx.Err()).Err()
			case <-life.ctx.Done():
				return status.Error(codes.Unavailable, "error reading from server: EOF")
			}
		}
		select {
		case <-l.more:
		case <-ctx.Done():
			return status.FromContextError(ctx.Err()).Err()
		case <-life.ctx.Done():
			return status.Error(codes.Unavailable, "error reading from server: EOF")
		}
	}
}

func (rt *Runtime) unsubscribe(l *listener) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	for i, other := range rt.listeners {
		if other == l {
			rt.listeners = append(rt.listeners[:i:i], rt.listeners[i+1:]...)
			return
		}
	}
}
