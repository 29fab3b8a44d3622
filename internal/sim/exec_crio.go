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

// notRunning tells a container that has ended from one that has not started.
func (crio) notRunning(c *container) error {
	c.rt.mu.Lock()
	defer c.rt.mu.Unlock()
	if c.living() {
		return fmt.Errorf("command error: exec in container %q: container is not running, exit code -1", c.id)
	}
	return fmt.Errorf("container is not created or running: %w", errNotFound)
}

// exec ignores its context. The timeout ends the process, with code -1; a client that goes away does not. An exec starts until
// the container is being killed (CRI-O up to 1.34: until it is being stopped).
func (d crio) exec(_ context.Context, c *container, cmd actor.Command, timeout time.Duration) (*runtimev1.ExecSyncResponse, error) {
	d.mu.Lock()
	killing, life := c.loop != nil && c.loop.killing, d.serving
	d.mu.Unlock()
	if killing {
		return nil, errors.New("command error: cannot start exec: container is being killed, stdout: , stderr: , exit code -1")
	}
	if life == nil {
		return nil, errUnavailable()
	}
	p, err := d.startExec(c, cmd)
	if err != nil {
		return nil, err
	}
	var over <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-p.done:
		return &runtimev1.ExecSyncResponse{ExitCode: d.exitCode(p)}, nil
	case <-over:
		d.killExec(p)
		return &runtimev1.ExecSyncResponse{ExitCode: -1, Stderr: []byte("command timed out")}, nil
	case <-life.ctx.Done():
		return nil, life.ctx.Err()
	}
}
