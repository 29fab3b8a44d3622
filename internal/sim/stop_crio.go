// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"slices"
	"time"
)

const (
	// crioTermTakes is the time that CRI-O's own `runc kill TERM` takes to return. CRI-O reads no timeout before that, so it is
	// also the minimum time between TERM and KILL, observed with timeout 0.
	crioTermTakes = 10 * time.Millisecond
	// crioPlaces is the number of timeouts that CRI-O holds for a container; what comes when all are taken is dropped.
	crioPlaces = 10
	// crioDefaultTimeout is the timeout in seconds of a removal, and of StopPodSandbox, whose client has no deadline.
	crioDefaultTimeout = 10
	// crioReserve is what StopPodSandbox keeps of its time for the sandbox's own container, in seconds.
	crioReserve = 1
)

// crio runs one stop loop per container, which further calls can only hurry.
type crio struct{ *Runtime }

// stopLoop is the stop of one container. It is in the daemon's memory and holds the container's lock.
type stopLoop struct {
	// requests receives what StopContainer calls ask for.
	requests chan request
	// killing: KILL is on its way. Timeouts are no longer read, and no exec starts.
	killing bool
}

// request is a timeout in seconds, and when it was asked for.
type request struct {
	timeout int64
	at      time.Time
}

// hurry starts the loop if there is none and passes it a timeout. It reports whether there is a process to stop: a container
// that was created has one, too.
func (d crio) hurry(c *container, timeout int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	life := d.serving
	if !c.living() || life == nil {
		return false
	}
	if c.loop == nil {
		c.loop = &stopLoop{requests: make(chan request, crioPlaces)}
		loop := c.loop
		d.wait.Go(func() { d.run(context.WithValue(life.ctx, lifeKey{}, life), c, loop) })
	}
	if c.loop.killing {
		return true
	}
	select {
	case c.loop.requests <- request{max(timeout, 0), time.Now()}:
	default: // dropped without a word, as CRI-O does
	}
	return true
}

// run sends TERM, then kills at the earliest time that a request gives, which counts from TERM at the earliest. It begins when a
// start under way is over.
func (d crio) run(ctx context.Context, c *container, loop *stopLoop) {
	d.mu.Lock()
	starting := c.starting
	d.mu.Unlock()
	if starting != nil {
		<-starting
	}
	if err := d.deliver(ctx, c, sigterm); err != nil {
		return
	}
	sent := time.Now()
	if err := pause(ctx, crioTermTakes); err != nil {
		return
	}
	var kill <-chan time.Time
	var earliest time.Time
	for {
		select {
		case r := <-loop.requests:
			// A real one counts from here. The moments between are the machine's, and virtual time has none.
			if r.at.Before(sent) {
				r.at = sent
			}
			target := r.at.Add(time.Duration(r.timeout) * time.Second)
			if earliest.IsZero() || target.Before(earliest) {
				earliest = target
				timer := time.NewTimer(time.Until(earliest))
				defer timer.Stop()
				kill = timer.C
			}
		case <-kill:
			d.mu.Lock()
			loop.killing = true
			d.mu.Unlock()
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
	if d.hurry(c, timeout) {
		d.ended(ctx, c)
	}
	if dead(ctx) {
		return ctx.Err()
	}
	return nil // even if the client has gone
}

// ended waits for the end of stops that are under way.
func (d crio) ended(ctx context.Context, containers ...*container) {
	for _, c := range containers {
		select {
		case <-c.stopped:
		case <-ctx.Done():
		}
	}
	d.mu.Lock()
	for _, c := range containers {
		if c.living() && !dead(ctx) {
			c.unmounted = true
		}
	}
	d.mu.Unlock()
	for _, c := range containers {
		d.settled(ctx, c)
	}
}

// left returns the whole seconds until a client's deadline, some of which has always passed.
func left(ctx context.Context) int64 {
	deadline, ok := ctx.Deadline()
	if !ok {
		return crioDefaultTimeout
	}
	return int64(max(time.Until(deadline)-1, 0) / time.Second)
}

// stopAll gives all containers one timeout, until shortly before the client's deadline. It takes the newest first. For one that
// is being stopped it waits, and so cannot hurry it, before it turns to the next.
func (d crio) stopAll(ctx context.Context, containers []*container) error {
	timeout := left(ctx)
	if timeout < 2*crioReserve {
		timeout /= 2
	} else {
		timeout -= crioReserve
	}
	var stopping []*container
	for _, c := range slices.Backward(containers) {
		d.settled(ctx, c)
		if d.hurry(c, timeout) {
			stopping = append(stopping, c)
		}
	}
	d.ended(ctx, stopping...)
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
