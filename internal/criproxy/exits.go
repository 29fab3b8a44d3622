// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package criproxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
)

// The pause before subscribing again to a runtime that is up but refuses, as containerd does while its CRI service starts.
// The proxy waits without a timer for a runtime that is down.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = time.Second
)

// exits records when containers ended, each once.
type exits struct {
	proxy  *Proxy
	client runtimev1.RuntimeServiceClient

	mu       sync.Mutex
	recorded map[string]bool // by container id
	err      error
}

func newExits(p *Proxy) *exits {
	return &exits{proxy: p, client: runtimev1.NewRuntimeServiceClient(p.upstream), recorded: map[string]bool{}}
}

func (x *exits) failure() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err
}

// follow maintains a subscription to the runtime's container events until ctx ends: the CRI's own events or, for a runtime
// too old to have them, containerd's.
func (x *exits) follow(ctx context.Context) {
	pause := firstPause
	var before error // the reason why the last subscription ended
	open := x.criEvents
	old := false
	for {
		subscribed, err := x.subscribe(ctx, open, before)
		if ctx.Err() != nil {
			return
		}
		switch unimplemented := status.Code(err) == codes.Unimplemented; {
		case unimplemented && !old:
			open, old = x.containerdEvents, true
			continue
		case unimplemented:
			err = fmt.Errorf("the runtime does not implement GetContainerEvents, and is not a containerd with events of its own; exits of containers come from its status replies, later than they happen: %w", err)
			x.mu.Lock()
			x.err = err
			x.mu.Unlock()
			x.proxy.logf("criproxy: %v", err)
			return
		}
		if subscribed {
			pause = firstPause
		} else if pause == longestPause {
			x.proxy.logf("criproxy: still no container events: %v", err)
		}
		before = err
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		pause = min(2*pause, longestPause)
	}
}

// source opens a stream of events. next waits for one event and handles it.
type source func(context.Context) (next func() error, err error)

func (x *exits) criEvents(ctx context.Context) (next func() error, err error) {
	events, err := x.client.GetContainerEvents(ctx, &runtimev1.GetEventsRequest{}, grpc.WaitForReady(true))
	return func() error {
		event, err := events.Recv()
		if err == nil {
			x.handle(event)
		}
		return err
	}, err
}

// subscribe follows the events until they end and reports whether the subscription succeeded. before is the reason why the
// last subscription ended, for the log.
func (x *exits) subscribe(ctx context.Context, open source, before error) (subscribed bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next, err := open(ctx)
	if err != nil {
		return false, err
	}
	// Subscribe first, then list: the list contains what ended before the subscription, events report what ends later, and
	// what is in both is recorded once.
	if err := x.catchUp(ctx); err != nil {
		return false, err
	}
	if before != nil {
		x.proxy.logf("criproxy: subscribed again to container events, which had ended: %v", before)
	}
	for {
		err := next()
		if errors.Is(err, io.EOF) {
			return true, errors.New("the runtime closed the stream")
		}
		if err != nil {
			return true, err
		}
	}
}

// catchUp learns the names of existing containers and sandboxes, and the exits without an event.
func (x *exits) catchUp(ctx context.Context) error {
	sandboxes, err := x.client.ListPodSandbox(ctx, &runtimev1.ListPodSandboxRequest{})
	if err != nil {
		return err
	}
	x.proxy.names.learnSandboxes(sandboxes.GetItems())
	containers, err := x.client.ListContainers(ctx, &runtimev1.ListContainersRequest{})
	if err != nil {
		return err
	}
	x.proxy.names.learnContainers(containers.GetContainers())
	for _, c := range containers.GetContainers() {
		if c.GetState() != runtimev1.ContainerState_CONTAINER_EXITED || x.known(c.GetId()) {
			continue
		}
		reply, err := x.client.ContainerStatus(ctx, &runtimev1.ContainerStatusRequest{ContainerId: c.GetId()})
		if status.Code(err) == codes.NotFound {
			continue // removed meanwhile
		}
		if err != nil {
			return err
		}
		x.seen(reply.GetStatus())
	}
	return nil
}

// handle handles one event. Its list of statuses covers the whole sandbox.
func (x *exits) handle(event *runtimev1.ContainerEventResponse) {
	sandbox := event.GetPodSandboxStatus()
	x.proxy.names.learnSandbox(sandbox.GetId(), sandbox.GetMetadata().GetName())
	for _, s := range event.GetContainersStatuses() {
		x.proxy.names.learnContainer(s.GetId(), sandbox.GetId(), ownerOf(s.GetMetadata(), s.GetLabels()))
		x.seen(s)
	}
	if event.GetContainerEventType() != runtimev1.ContainerEventType_CONTAINER_STOPPED_EVENT {
		return
	}
	id := event.GetContainerId()
	if _, pod := x.proxy.names.sandbox(id); pod != "" || id == sandbox.GetId() {
		return // the sandbox itself, not a container
	}
	// No status reports the exit: the container was removed before the runtime put the event together.
	x.add(id, history.Event{
		At:      time.Unix(0, event.GetCreatedAt()),
		Message: "time of the runtime's event; the container's status was gone",
	})
}

// seen records the exit in a status, if there is one.
func (x *exits) seen(s *runtimev1.ContainerStatus) {
	if s.GetState() != runtimev1.ContainerState_CONTAINER_EXITED || s.GetFinishedAt() <= 0 {
		return
	}
	x.proxy.names.learnContainer(s.GetId(), "", ownerOf(s.GetMetadata(), s.GetLabels()))
	code := s.GetExitCode()
	x.add(s.GetId(), history.Event{At: time.Unix(0, s.GetFinishedAt()), ExitCode: &code, Reason: s.GetReason()})
}

func (x *exits) known(id string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.recorded[id]
}

func (x *exits) add(id string, e history.Event) {
	x.mu.Lock()
	before := x.recorded[id]
	x.recorded[id] = true
	x.mu.Unlock()
	if before {
		return
	}
	_, o := x.proxy.names.container(id)
	e.Kind, e.Pod, e.Container, e.ContainerID = history.ContainerExit, o.pod, o.container, id
	x.proxy.record.Add(e)
}
