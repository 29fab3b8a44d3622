// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package podworkers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestHistories plays random histories of requests and checks the outcomes against the rules, which are computed here from
// the requests alone. It plays 2,000 of them unless -rapid.checks is set; it shrinks a failure, and -rapid.seed plays it
// again.
func TestHistories(t *testing.T) {
	// rapid's default is 100 histories, and only its flag can change that; so call it repeatedly
	for range 20 {
		rapid.Check(t, func(rt *rapid.T) {
			pod := &stubborn{
				exits:    rapid.OneOf(rapid.Just(time.Duration(0)), rapid.Custom(drawTime)).Draw(rt, "exits"),
				refusals: rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(rt, "refusals"),
				syncs:    rapid.SampledFrom([]time.Duration{0, 0, 700 * time.Millisecond, 40 * time.Second}).Draw(rt, "syncs"),
			}
			requests := rapid.Custom(drawRequests).Draw(rt, "requests")
			if err := judge(play(t, pod, requests), requests); err != nil {
				rt.Fatal(err)
			}
		})
	}
}

func drawTime(t *rapid.T) time.Duration {
	return time.Duration(rapid.IntRange(1, 70_000).Draw(t, "ms")) * time.Millisecond
}

func drawRequests(t *rapid.T) []request {
	var requests []request
	var after time.Duration
	for i := range rapid.IntRange(1, 6).Draw(t, "n") {
		if i > 0 {
			after += time.Duration(rapid.SampledFrom([]int{0, 1, 500, 999, 1000, 3000, 12_345}).Draw(t, "gap")) * time.Millisecond
		}
		grace := rapid.SampledFrom([]int64{0, 1, 2, 5, 10, 30, 60, 90}).Draw(t, "grace")
		evict := rapid.Bool().Draw(t, "evict")
		if evict {
			// an override of zero is raised before it reaches the worker
			grace = max(grace, 1)
			if rapid.IntRange(0, 3).Draw(t, "unset") == 0 {
				grace = -1
			}
		}
		requests = append(requests, request{after: after, grace: grace, evict: evict})
		if !evict && grace == 0 {
			// a force delete is two writes; nothing follows the removal
			return append(requests, request{after: after, remove: true})
		}
	}
	return requests
}

// told is a request that set or moved the deadline.
type told struct {
	after    time.Duration
	deadline time.Duration
	// atOnce marks a grace period of zero, which is earlier than any deadline.
	atOnce bool
}

func (t told) earlier(than told) bool {
	return !than.atOnce && (t.atOnce || t.deadline < than.deadline)
}

// deadlines returns the request that set the deadline of a termination that began at began, and the requests that moved it.
// Of the requests before the beginning, the shortest counts, from the beginning. A later one counts by itself: a delete
// from the first delete, if it is shorter than those before, and an override from now. A time in the past counts as now.
func deadlines(requests []request, began time.Duration) []told {
	first, deleted := -1, -1 // grace period in force at the beginning; the shortest delete
	var deletedAt time.Duration
	var later []told
	for _, r := range requests {
		grace, from := int(r.grace), r.after
		switch {
		case r.remove || grace < 0:
			// requests no grace period of its own, so the spec's counts if nobody requested one
			if first < 0 {
				first = int(specGrace)
			}
			continue
		case r.evict:
		case deleted >= 0 && grace >= deleted:
			continue
		default:
			if deleted < 0 {
				deletedAt = r.after
			}
			deleted, from = grace, deletedAt
		}
		if first < 0 || r.after < began {
			if first < 0 || grace < first {
				first = grace
			}
			continue
		}
		step := told{after: r.after, deadline: max(from+time.Duration(grace)*time.Second, r.after), atOnce: grace == 0}
		if step.atOnce {
			step.deadline = r.after
		}
		later = append(later, step)
	}
	steps := []told{{after: began, deadline: began + time.Duration(first)*time.Second, atOnce: first == 0}}
	for _, step := range later {
		if step.earlier(steps[len(steps)-1]) {
			steps = append(steps, step)
		}
	}
	return steps
}

func judge(got outcome, requests []request) error {
	if len(got.attempts) == 0 {
		return errors.New("R11: no attempt to terminate the pod")
	}
	began := got.attempts[0].began
	if began < got.syncs || got.syncs == 0 && began > 0 || began > got.syncs+relistPeriod {
		return fmt.Errorf("R1: the termination began after %v, and the pod was synced until %v", began, got.syncs)
	}
	steps := deadlines(requests, began)
	return errors.Join(died(got, steps), asked(got, steps), prompt(got, steps), settled(got))
}

// died checks the time of the container's death (R1, R2, R5): not before the deadline unless it ended by itself, and not
// after the deadline and the window.
func died(got outcome, steps []told) error {
	if got.diedAt < steps[0].after {
		return nil // by itself, before the termination began
	}
	last := steps[0]
	for _, step := range steps[1:] {
		if step.after <= got.diedAt {
			last = step
		}
	}
	latest := last.deadline
	if !last.atOnce {
		latest += 2 * time.Second
	}
	if got.refusals == 0 && got.diedAt > latest {
		return fmt.Errorf("R1: died after %v, the latest is %v (%+v)", got.diedAt, latest, last)
	}
	if exited := got.exits == got.diedAt; !exited && got.diedAt < last.deadline {
		return fmt.Errorf("R1: died after %v, before the deadline (%+v)", got.diedAt, last)
	}
	return nil
}

// asked checks the calls that request the runtime to stop the container.
func asked(got outcome, steps []told) error {
	// R2, R4, R5: each call has the rest of the deadline at its time, rounded up
	for _, call := range got.stops {
		var want []int64
		for i, step := range steps {
			// a call at the time of a request may have been just before it
			if step.after <= call.at && (i+1 == len(steps) || steps[i+1].after >= call.at) {
				want = append(want, timeout(step, call))
			}
		}
		if !slices.Contains(want, call.timeout) {
			return fmt.Errorf("R2: a stop call after %v had a timeout of %d s, want one of %d", call.at, call.timeout, want)
		}
	}
	// R3, R4: a request that moves the deadline leads to a call within 200 ms, unless the worker needs a newer status first
	for i, step := range steps {
		due := step.after + 200*time.Millisecond
		for _, a := range got.attempts {
			if a.err == errRefused && a.returned <= step.after {
				due = max(due, a.returned+relistPeriod)
			}
		}
		superseded := i+1 < len(steps) && steps[i+1].after <= due
		exited := got.diedAt == got.exits && got.diedAt <= due
		if superseded || exited || got.diedAt <= step.after {
			continue
		}
		if !slices.ContainsFunc(got.stops, func(call stop) bool {
			return call.at >= step.after && call.at <= due && call.timeout == timeout(step, call)
		}) {
			return fmt.Errorf("R3: no stop call with the time left until %v came by %v after the request at %v", step.deadline, due, step.after)
		}
	}
	// R7, R9: attempts share one kill, and only a failed one is followed by another
	if got.kills != got.refusals+1 {
		return fmt.Errorf("R7: the pod was killed %d times, and the runtime refused %d", got.kills, got.refusals)
	}
	return nil
}

// timeout returns the timeout that the contract requires of a call. The first call of a kill has the window.
func timeout(step told, call stop) int64 {
	if step.atOnce {
		return 0
	}
	left := int64((max(step.deadline-call.at, 0) + time.Second - 1) / time.Second)
	if !call.again {
		return max(left, 2)
	}
	return left
}

// prompt checks R8: each request that moves the deadline cancels an attempt at once, and nothing else does.
func prompt(got outcome, steps []told) error {
	for _, a := range got.attempts {
		canceledBy := func(step told) bool {
			// or before it, while the worker waited for a status
			waited := a.began == a.returned && step.after < a.began && step.after > a.began-relistPeriod
			return step.after == a.returned || waited
		}
		if errors.Is(a.err, context.Canceled) && !slices.ContainsFunc(steps[1:], canceledBy) {
			return fmt.Errorf("R8: an attempt was canceled after %v, and nothing moved the deadline then", a.returned)
		}
		for _, step := range steps[1:] {
			if a.began < step.after && step.after < a.returned {
				return fmt.Errorf("R8: an attempt from %v to %v was not canceled by the request after %v", a.began, a.returned, step.after)
			}
		}
	}
	return nil
}
