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

// Package graceperiod does the arithmetic of ending a pod in time.
//
// A grace period is a whole number of seconds. It is a pointer where nobody may have asked for
// one, because unset and zero are different things: unset leaves the decision to somebody else,
// zero asks for the containers to be killed at once.
//
// The rules, in the order in which they apply:
//
//  1. Of several grace periods the shortest counts (Shortest). Unset never counts. A negative
//     period counts as 1, as it does in the API.
//  2. A pod that is being terminated has one Deadline: the moment it was first told to terminate,
//     plus the shortest grace period asked for since. Asking again can move it closer, never away,
//     and nothing that happens in between (a hook, a retry, a wait) moves it at all.
//  3. What is left until the deadline is rounded up to whole seconds where the container runtime
//     is told about it (Seconds), so that rounding never takes time from a container.
//  4. A container whose grace period was used up before it was asked to stop still gets
//     MinimumWindow to do so (StopTimeout). The latest kill is therefore the deadline plus
//     MinimumWindow.
//  5. A grace period of zero has no hooks, no waits and no window: StopTimeout is 0, which makes
//     a runtime kill at once (AtOnce).
package graceperiod

import (
	"context"
	"time"
)

// MinimumWindow is the time a container gets to stop after its grace period was used up by its
// preStop hook or by waiting for other containers. Two seconds are what Kubernetes documents.
const MinimumWindow = 2 * time.Second

const (
	// minimumPeriod replaces a negative grace period, in seconds.
	minimumPeriod = int64(1)
	// maximumPeriod is the longest grace period that is told apart from longer ones, in seconds. It is
	// more than a century, and keeps a Deadline within what a time.Duration can hold.
	maximumPeriod = int64(1) << 32
)

// Shortest returns the smallest of the periods that are set, in seconds, or nil if none is.
func Shortest(periods ...*int64) *int64 {
	shortest, set := shortestOf(periods)
	if !set {
		return nil
	}
	return &shortest
}

// shortestOf leaves Shortest small enough to be inlined, and what it returns off the heap.
func shortestOf(periods []*int64) (shortest int64, set bool) {
	for _, period := range periods {
		if period == nil {
			continue
		}
		seconds := *period
		if seconds < 0 {
			seconds = minimumPeriod
		}
		if !set || seconds < shortest {
			shortest, set = seconds, true
		}
	}
	return shortest, set
}

// Deadline is the moment at which the grace period of a pod ends.
type Deadline struct {
	start   time.Time
	seconds int64
}

// NewDeadline returns the deadline of a pod that was told to terminate at start and was given
// this many seconds. A start with a monotonic clock reading makes a deadline that changes of the
// wall clock do not move.
func NewDeadline(start time.Time, seconds int64) Deadline {
	if seconds < 0 {
		seconds = minimumPeriod
	}
	return Deadline{start: start, seconds: min(seconds, maximumPeriod)}
}

// AtOnce is true if the grace period is zero: nothing is waited for.
func (d Deadline) AtOnce() bool {
	return d.seconds == 0
}

// Time returns the moment of the deadline.
func (d Deadline) Time() time.Time {
	return d.start.Add(time.Duration(d.seconds) * time.Second)
}

// Remaining returns the time that is left at now, which is zero after the deadline.
func (d Deadline) Remaining(now time.Time) time.Duration {
	return max(d.Time().Sub(now), 0)
}

// Seconds returns the time that is left at now in whole seconds, rounded up.
func (d Deadline) Seconds(now time.Time) int64 {
	remaining := d.Remaining(now)
	seconds := int64(remaining / time.Second)
	if remaining%time.Second > 0 {
		seconds++
	}
	return seconds
}

// StopTimeout returns the timeout, in seconds, with which a container runtime is asked at now to
// stop a container: 0 if AtOnce, otherwise what is left but not less than MinimumWindow.
func (d Deadline) StopTimeout(now time.Time) int64 {
	if d.AtOnce() {
		return 0
	}
	return max(d.Seconds(now), int64(MinimumWindow/time.Second))
}

type contextKey struct{}

// NewContext returns a context for work that ends a pod by the deadline. Unlike the deadline of
// context.WithDeadline this one does not cancel anything: the work goes on, with less patience.
func NewContext(ctx context.Context, deadline Deadline) context.Context {
	return context.WithValue(ctx, contextKey{}, deadline)
}

// FromContext returns the deadline of the pod that is ended in this context. It returns false if
// no pod is being terminated.
func FromContext(ctx context.Context) (Deadline, bool) {
	deadline, ok := ctx.Value(contextKey{}).(Deadline)
	return deadline, ok
}
