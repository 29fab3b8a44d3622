// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"time"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/actor"
)

// variant is the part in which the behaviours differ.
type variant interface {
	// stop handles StopContainer for an existing container.
	stop(ctx context.Context, c *container, timeout int64) error
	// remove stops a container if it runs, and removes it.
	remove(ctx context.Context, c *container) error
	// stopAll stops the containers for StopPodSandbox.
	stopAll(ctx context.Context, containers []*container) error
	// removeSandbox removes a sandbox with its containers.
	removeSandbox(ctx context.Context, s *sandbox) error
	// exec runs a process and waits for its end; notRunning is the error of an exec in a container that is not running.
	exec(ctx context.Context, c *container, cmd actor.Command, timeout time.Duration) (*runtimev1.ExecSyncResponse, error)
	notRunning(c *container) error
	// settled waits until the container's lock is released, whatever happens to the context.
	settled(ctx context.Context, c *container)
}

func (rt *Runtime) variant() variant {
	if rt.options.Behaviour == CRIO {
		return crio{rt}
	}
	return containerd{rt}
}

// StopContainer stops a container within a timeout in seconds. Stopping an exited or unknown container succeeds. The client
// gives up two minutes after the timeout. As in the real programs, a timeout of more nanoseconds than an int64 holds is a
// negative duration: the client has given up already.
func (rt *Runtime) StopContainer(ctx context.Context, id string, timeout int64) error {
	m := method{name: "StopContainer", limit: patience + time.Duration(timeout)*time.Second}
	_, err := call(ctx, rt, m, &runtimev1.StopContainerRequest{ContainerId: id, Timeout: timeout}, func(ctx context.Context) (any, error) {
		rt.mu.Lock()
		c, ok := rt.containers.get(id)
		rt.mu.Unlock()
		if !ok {
			return nil, nil
		}
		return nil, rt.variant().stop(ctx, c, timeout)
	})
	return err
}

// signalName is the name of a signal that a runtime sends.
type signalName string

const (
	sigterm signalName = "TERM"
	sigkill signalName = "KILL"
)

// deliver sends a signal after Options.SignalLatency; it returns an error if the context ends before that. A signal to an
// exited container is lost without an error; only CRI-O sends one to a container that has not started.
func (rt *Runtime) deliver(ctx context.Context, c *container, signal signalName) error {
	if err := pause(ctx, rt.options.SignalLatency); err != nil {
		return err
	}
	rt.mu.Lock()
	defer rt.mu.Unlock()
	switch {
	case dead(ctx):
	case c.state == runtimev1.ContainerState_CONTAINER_CREATED:
		c.endedUnstarted()
	case !c.running():
	case signal == sigterm:
		c.main.term()
	default:
		c.main.kill()
	}
	return nil
}
