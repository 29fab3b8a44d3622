// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package graceperiod keeps the deadline of a pod that is being terminated.
package graceperiod

import (
	"context"
	"math"
	"sync"
	"time"
)

// DeadlineAfter returns the end of a grace period in seconds. More than 68 years count as 68 years, which fit into a
// time.Duration together with what the client of the runtime adds to them. Zero seconds end at the zero time, which is
// earlier than any other.
func DeadlineAfter(start time.Time, seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return start.Add(time.Duration(min(seconds, math.MaxInt32)) * time.Second)
}

// Termination is the termination of one pod, from the first attempt to terminate it. Its deadline can only move closer.
// It is safe for concurrent use. Nil is the termination of a pod that is not being terminated: nothing shortens it.
type Termination struct {
	lock     sync.Mutex
	deadline time.Time
	// binding is set once the deadline has moved, or the first attempt has failed.
	binding bool
	// moved is closed and replaced when the deadline moves.
	moved chan struct{}
	// steps have been taken, and are not repeated by a retry.
	steps map[string]bool

	// ctx is done when the termination has ended.
	ctx context.Context
	end context.CancelFunc
	// kill has the result of the kill in progress, or of the last one if nobody has received it.
	kill chan error
}

// NewTermination returns the termination of a pod that begins now, with a grace period in seconds.
func NewTermination(now time.Time, gracePeriod int64) *Termination {
	t := &Termination{deadline: DeadlineAfter(now, gracePeriod), moved: make(chan struct{})}
	t.ctx, t.end = context.WithCancel(context.Background())
	return t
}

// End cancels what the kills have left behind, such as calls to a runtime that hangs.
func (t *Termination) End() {
	if t != nil {
		t.end()
	}
}

// Kill kills the pod once for several attempts. It returns if ctx is done, but the kill goes on, and the next attempt waits
// for it. Once its result has been returned, the next attempt starts another one. Attempts must not overlap.
func (t *Termination) Kill(ctx context.Context, kill func(ctx context.Context) error) error {
	if t.kill == nil {
		killCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		context.AfterFunc(t.ctx, cancel)
		result := make(chan error, 1)
		go func() { result <- kill(killCtx) }()
		t.kill = result
	}
	select {
	case err := <-t.kill:
		t.kill = nil
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *Termination) state() (deadline time.Time, binding bool, moved <-chan struct{}) {
	if t == nil {
		return time.Time{}, false, nil
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.deadline, t.binding, t.moved
}

// Deadline returns the end of the grace period.
func (t *Termination) Deadline() time.Time {
	deadline, _, _ := t.state()
	return deadline
}

// AtOnce returns whether the grace period is zero.
func (t *Termination) AtOnce() bool {
	return t != nil && t.Deadline().IsZero()
}

// Shorten moves the deadline if the given one, or now if that has passed, is earlier. It returns whether it did.
func (t *Termination) Shorten(now, deadline time.Time) bool {
	if t == nil {
		return false
	}
	if !deadline.IsZero() && deadline.Before(now) {
		deadline = now
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	if !deadline.Before(t.deadline) {
		return false
	}
	t.deadline, t.binding = deadline, true
	close(t.moved)
	t.moved = make(chan struct{})
	return true
}

// Once returns true the first time that it is called with a step, which a retry does not repeat then.
func (t *Termination) Once(step string) bool {
	if t == nil {
		return true
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.steps[step] {
		return false
	}
	if t.steps == nil {
		t.steps = map[string]bool{}
	}
	t.steps[step] = true
	return true
}

// Repeat lets a retry repeat a step that has failed.
func (t *Termination) Repeat(step string) {
	if t == nil {
		return
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	delete(t.steps, step)
}

// Retry begins another attempt, which has the deadline of the first.
func (t *Termination) Retry() {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.binding = true
}

// Moved returns a channel that is closed when the deadline moves the next time.
func (t *Termination) Moved() <-chan struct{} {
	_, _, moved := t.state()
	return moved
}

// Wait waits until done is closed, and returns whether it is. It ends when giveUp is closed, after the timeout or, once
// the deadline is binding, at the deadline.
func (t *Termination) Wait(done, giveUp <-chan struct{}, timeout time.Duration) bool {
	end := time.Now().Add(timeout)
	for {
		deadline, binding, moved := t.state()
		if binding && deadline.Before(end) {
			end = deadline
		}
		select {
		case <-moved:
			continue
		case <-done:
		case <-giveUp:
		case <-time.After(time.Until(end)):
		}
		select {
		case <-done:
			return true
		default:
			return false
		}
	}
}

// Seconds returns the time until the deadline in whole seconds, rounded up. It is zero after the deadline.
func (t *Termination) Seconds() int64 {
	return int64((max(0, time.Until(t.Deadline())) + time.Second - 1) / time.Second)
}

// Left returns what is left of a grace period in seconds that the caller counts down by itself. It is less than the caller
// knows if the deadline has moved, or in a retry.
func (t *Termination) Left(gracePeriod int64) int64 {
	if _, binding, _ := t.state(); !binding {
		return gracePeriod
	}
	return min(gracePeriod, t.Seconds())
}
