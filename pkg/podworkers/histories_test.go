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

package podworkers

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestHistories plays random histories of requests and holds what happened against the rules, which are worked out here
// from the requests alone. It plays 2,000 of them unless -rapid.checks says otherwise; a failure is shrunk, and
// -rapid.seed plays it again.
func TestHistories(t *testing.T) {
	// rapid's default is 100 histories, and only its flag can change that; so ask it often
	for range 20 {
		rapid.Check(t, func(rt *rapid.T) {
			pod := &stubborn{
				exits:    rapid.OneOf(rapid.Just(time.Duration(0)), rapid.Custom(drawTime)).Draw(rt, "exits"),
				refusals: rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(rt, "refusals"),
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
		if evict && rapid.IntRange(0, 3).Draw(t, "unset") == 0 {
			grace = -1
		}
		requests = append(requests, request{after: after, grace: grace, evict: evict})
		if !evict && grace == 0 {
			// a force delete is two writes; nothing follows the removal
			return append(requests, request{after: after, remove: true})
		}
	}
	return requests
}

// told is what the requests up to a moment add up to.
type told struct {
	after    time.Duration // when the effective grace period last became shorter
	grace    int64
	deadline time.Duration
}

// shortened returns the moments at which the grace period became shorter, while the container lived.
func shortened(requests []request, died time.Duration) []told {
	var steps []told
	for _, r := range requests {
		grace := r.grace
		if r.remove || r.evict && grace < 0 {
			grace = specGrace
		}
		// the spec counts only if nobody asked, so after the first request it is never shorter than what is known
		if len(steps) > 0 && (r.remove || r.grace < 0) {
			continue
		}
		if r.after > died || len(steps) > 0 && grace >= steps[len(steps)-1].grace {
			continue
		}
		steps = append(steps, told{after: r.after, grace: grace, deadline: time.Duration(grace) * time.Second})
	}
	return steps
}

func judge(got outcome, requests []request) error {
	steps := shortened(requests, got.diedAt)
	last := steps[len(steps)-1]
	exited := got.exits > 0 && got.diedAt == got.exits

	// R1, R2, R5: not before the deadline, and not after it plus the window, counted from now if it has passed
	latest := max(last.deadline, last.after)
	if last.grace > 0 {
		latest += 2 * time.Second
	}
	if got.refusals == 0 && got.diedAt > latest {
		return fmt.Errorf("R1: died after %v, the latest is %v (grace %d since %v)", got.diedAt, latest, last.grace, last.after)
	}
	if !exited && got.diedAt < min(last.deadline, latest) {
		return fmt.Errorf("R1: died after %v, before the deadline %v", got.diedAt, last.deadline)
	}

	// R3, R4: each shorter request leads to an attempt within 200 ms, with what is left then, rounded up
	for i, step := range steps {
		superseded := i+1 < len(steps) && steps[i+1].after-step.after < 200*time.Millisecond
		if step.after == got.diedAt || superseded {
			continue
		}
		if err := asked(got, step); err != nil {
			return err
		}
	}
	// R2: whatever the reason for an attempt was, it knows the deadline of its time and not a later one; the worker may
	// not know yet that the container has died
	all := shortened(requests, math.MaxInt64)
	for _, a := range got.attempts {
		if err := kept(a, all); err != nil {
			return err
		}
	}
	// R8: a cancelled attempt ends with the request that cancelled it
	for _, a := range got.attempts {
		if a.err == nil || a.err == errRefused {
			continue
		}
		var shorter bool
		for _, step := range all[1:] {
			shorter = shorter || step.after == a.returned
		}
		if !shorter {
			return fmt.Errorf("R8: an attempt was cancelled after %v, and nothing was asked for then", a.returned)
		}
	}
	return settled(got)
}

func asked(got outcome, step told) error {
	for _, a := range got.attempts {
		if a.began < step.after || a.began > step.after+200*time.Millisecond {
			continue
		}
		if want := timeout(step, a.began); a.timeout == want {
			return nil
		}
	}
	return fmt.Errorf("R3: grace %d was asked for after %v, and no attempt with what is left of it followed within 200 ms", step.grace, step.after)
}

func kept(a *attempt, steps []told) error {
	var want []int64
	for i, step := range steps {
		// an attempt at the moment of a request may have been just before it
		current := step.after <= a.began && (i+1 == len(steps) || steps[i+1].after >= a.began)
		if current {
			want = append(want, timeout(step, a.began))
		}
	}
	if !slices.Contains(want, a.timeout) {
		return fmt.Errorf("R2: an attempt after %v had a timeout of %d s, want %d", a.began, a.timeout, want)
	}
	return nil
}

// timeout is the stop timeout that the contract wants for a container that is asked to stop at that moment.
func timeout(step told, at time.Duration) int64 {
	if step.grace == 0 {
		return 0
	}
	left := max(step.deadline-at, 0)
	return max(int64((left+time.Second-1)/time.Second), 2)
}
