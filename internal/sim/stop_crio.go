/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package sim

import (
	"context"
	"errors"
	"time"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/actor"
)

const (
	// crioKillDelay is the minimum time between CRI-O's TERM and its KILL, observed with timeout 0.
	crioKillDelay = 10 * time.Millisecond
	// crioSandboxTimeout is the timeout in seconds that StopPodSandbox and the removal of a running container use.
	crioSandboxTimeout = 10
)

// crio runs one stop loop per container, which further calls can only hurry.
type crio struct{ *Runtime }

// stopLoop is the stop of one container. It is in the daemon's memory and holds the container's lock.
type stopLoop struct {
	// targets receives the times by which to kill.
	targets chan time.Time
}

// hurry starts the loop if there is none and passes it a target. It reports whether the container runs.
func (d crio) hurry(c *container, timeout int64) bool {
	target := time.Now().Add(time.Duration(max(timeout, 0)) * time.Second)
	d.mu.Lock()
	defer d.mu.Unlock()
	life := d.serving
	if !c.running() || life == nil {
		return false
	}
	if c.loop == nil {
		c.loop = &stopLoop{targets: make(chan time.Time, 64)}
		loop := c.loop
		d.wait.Go(func() { d.run(context.WithValue(life.ctx, lifeKey{}, life), c, loop) })
	}
	select {
	case c.loop.targets <- target:
	default: // one more target does not matter when so many are queued
	}
	return true
}

// run sends TERM, then kills at the earliest target.
func (d crio) run(ctx context.Context, c *container, loop *stopLoop) {
	if err := d.deliver(ctx, c, sigterm); err != nil {
		return
	}
	sent := time.Now()
	var kill <-chan time.Time
	var earliest time.Time
	for {
		select {
		case target := <-loop.targets:
			if earliest.IsZero() || target.Before(earliest) {
				earliest = target
				at := max(time.Until(earliest), time.Until(sent.Add(crioKillDelay)))
				timer := time.NewTimer(at)
				defer timer.Stop()
				kill = timer.C
			}
		case <-kill:
			_ = d.deliver(ctx, c, sigkill)
			return
		case <-c.stopped:
			return
		case <-ctx.Done():
			return
		}
	}
}

// stop waits for the container's exit. If its client goes away, the loop continues, but the handler unmounts the root
// filesystem as if the container were down, and returns only when it is.
func (d crio) stop(ctx context.Context, c *container, timeout int64) error {
	if !d.hurry(c, timeout) {
		return nil
	}
	select {
	case <-c.stopped:
		return nil
	case <-ctx.Done():
	}
	d.mu.Lock()
	if c.running() && !dead(ctx) {
		c.unmounted = true
	}
	d.mu.Unlock()
	d.settled(ctx, c)
	return ctx.Err()
}

func (d crio) forceStop(ctx context.Context, c *container) error {
	return d.stop(ctx, c, crioSandboxTimeout)
}

// stopAll gives containers without a stop loop a short common timeout. For a container that is being stopped it waits for the
// lock, and so cannot hurry it.
func (d crio) stopAll(ctx context.Context, containers []*container) error {
	for _, c := range containers {
		d.mu.Lock()
		stopping := c.loop != nil
		d.mu.Unlock()
		if !stopping {
			d.hurry(c, crioSandboxTimeout)
		}
	}
	for _, c := range containers {
		d.mu.Lock()
		running := c.running()
		d.mu.Unlock()
		if running {
			d.settled(ctx, c)
		}
	}
	if dead(ctx) {
		return ctx.Err()
	}
	return nil // even if the client has gone
}

// settled waits for the end of a running stop, like a lock: until the container has exited or the daemon dies.
func (d crio) settled(ctx context.Context, c *container) {
	d.mu.Lock()
	loop, life := c.loop, d.serving
	d.mu.Unlock()
	if loop == nil || life == nil || dead(ctx) {
		return
	}
	select {
	case <-c.stopped:
	case <-life.ctx.Done():
	}
}

// exec ignores its context. The timeout ends the process, with code -1; a client that goes away does not. While the container
// is being stopped, exec fails.
func (d crio) exec(_ context.Context, c *container, cmd actor.Command, timeout time.Duration) (*runtimev1.ExecSyncResponse, error) {
	d.mu.Lock()
	stopping, life := c.loop != nil, d.serving
	d.mu.Unlock()
	if stopping {
		return nil, errors.New("command error: cannot register an exec PID: container is stopping, stdout: , stderr: , exit code -1")
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
