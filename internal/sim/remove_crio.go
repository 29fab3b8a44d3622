// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"fmt"
	"slices"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// remove stops a container with what is left of the client's time, and removes it, whether the client waits or not. Of several
// removals at once the first removes it (on a real CRI-O, any of them), the others fail.
func (d crio) remove(ctx context.Context, c *container) error {
	return d.removeAnd(ctx, c, func() {
		d.announce(c.id, c.sandbox, runtimev1.ContainerEventType_CONTAINER_DELETED_EVENT)
	})
}

// removeAnd removes a container and calls announce, with the lock held.
func (d crio) removeAnd(ctx context.Context, c *container, announce func()) error {
	mine := make(chan struct{})
	defer close(mine)
	d.mu.Lock()
	before := c.removal
	c.removal = mine
	life, stopped := d.serving, !c.sandbox.ready
	d.mu.Unlock()
	if life == nil {
		return errUnavailable()
	}
	if !stopped {
		if err := d.stop(ctx, c, left(ctx)); err != nil {
			return fmt.Errorf("failed to stop container for removal %w", err)
		}
	} else {
		// What runs on in a sandbox that is down is killed.
		d.settled(ctx, c)
		_ = d.deliver(context.WithoutCancel(ctx), c, sigkill)
	}
	if before != nil {
		select {
		case <-before:
		case <-life.ctx.Done():
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if dead(ctx) {
		return ctx.Err()
	}
	there, err := d.drop(c)
	switch {
	case err != nil:
		return err
	case !there:
		return fmt.Errorf("failed to delete container %s from index: no such id", c.id)
	}
	announce()
	return nil
}

// removeSandbox removes the containers one after the other, the newest first, each stopped with what is left of the client's
// time. Their stops are all that is announced.
func (d crio) removeSandbox(ctx context.Context, s *sandbox) error {
	d.mu.Lock()
	list, life := d.inside(s), d.serving
	d.mu.Unlock()
	if life == nil {
		return errUnavailable()
	}
	for _, c := range slices.Backward(list) {
		if err := d.removeAnd(ctx, c, func() {}); err != nil {
			return err
		}
	}
	if err := pause(life.ctx, d.options.SandboxLatency); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if dead(ctx) {
		return ctx.Err()
	}
	if !d.dropSandbox(s) {
		return fmt.Errorf("failed to delete pod sandbox %s from index: no such id", s.id)
	}
	return nil
}
