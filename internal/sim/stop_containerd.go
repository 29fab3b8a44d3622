// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/actor"
)

// containerd runs every stop independently.
type containerd struct{ *Runtime }

// stop sends TERM unless an earlier stop with a timeout has marked it as sent, waits for its own timeout, then kills. TERM is
// marked as sent before it is sent: a call that ends in between loses it for good. A cancelled call loses its timer.
func (d containerd) stop(ctx context.Context, c *container, timeout int64) error {
	wait := time.Duration(timeout) * time.Second // negative on overflow, as in containerd
	d.mu.Lock()
	running, first := c.running(), !c.termSent
	if running && wait > 0 {
		c.termSent = true
	}
	d.mu.Unlock()
	if !running {
		return nil
	}
	if wait > 0 {
		if first {
			if err := d.deliver(ctx, c, sigterm); err != nil {
				return fmt.Errorf("failed to stop container %q: %w", c.id, err)
			}
		}
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-c.stopped:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
	}
	if err := d.deliver(ctx, c, sigkill); err != nil {
		return fmt.Errorf("failed to kill container %q: %w", c.id, err)
	}
	select {
	case <-c.stopped:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("an error occurs during waiting for container %q to be killed: %w", c.id, ctx.Err())
	}
}

// remove succeeds for a container that another call has removed meanwhile.
func (d containerd) remove(ctx context.Context, c *container) error {
	if err := d.stop(ctx, c, 0); err != nil {
		return fmt.Errorf("failed to forcibly stop container %q: %w", c.id, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	gone, err := d.drop(c)
	if gone {
		d.announce(c.id, c.sandbox, runtimev1.ContainerEventType_CONTAINER_DELETED_EVENT)
	}
	return err
}

// removeSandbox stops the sandbox first.
func (d containerd) removeSandbox(ctx context.Context, s *sandbox) error {
	if err := d.stopSandbox(ctx, s); err != nil {
		return fmt.Errorf("failed to forcibly stop sandbox %q: %w", s.id, err)
	}
	d.mu.Lock()
	list := d.inside(s)
	d.mu.Unlock()
	for _, c := range list {
		if err := d.remove(ctx, c); err != nil {
			return fmt.Errorf("failed to remove container %q: %w", c.id, err)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dropSandbox(s) {
		d.announce(s.id, s, runtimev1.ContainerEventType_CONTAINER_DELETED_EVENT)
	}
	return nil
}

// stopAll kills the containers one after the other.
func (d containerd) stopAll(ctx context.Context, containers []*container) error {
	for _, c := range containers {
		if err := d.stop(ctx, c, 0); err != nil {
			return fmt.Errorf("failed to stop container %q: %w", c.id, err)
		}
	}
	return nil
}

// settled does not wait: no containerd call delays another.
func (containerd) settled(context.Context, *container) {}

func (containerd) notRunning(*container) error {
	return errors.New("failed to exec in container: container is not in CONTAINER_RUNNING state")
}

// exec kills the process when its context ends. A dead daemon does not; the shim keeps the process.
func (d containerd) exec(ctx context.Context, c *container, cmd actor.Command, timeout time.Duration) (*runtimev1.ExecSyncResponse, error) {
	p, err := d.startExec(c, cmd)
	if err != nil {
		return nil, err
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	select {
	case <-p.done:
		return &runtimev1.ExecSyncResponse{ExitCode: d.exitCode(p)}, nil
	case <-ctx.Done():
		if !dead(ctx) {
			d.killExec(p)
		}
		return nil, fmt.Errorf("failed to exec in container: timeout %v exceeded: %w", timeout, ctx.Err())
	}
}
