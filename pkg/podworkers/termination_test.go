// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package podworkers

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/tools/record"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func TestTermination(t *testing.T) {
	for _, tc := range []struct {
		rules    string
		desc     string
		requests []request
		refusals int
		exits    time.Duration
		// timeouts of the stop calls, in seconds
		timeouts []int64
		died     time.Duration
	}{
		{rules: "R1", desc: "delete", requests: []request{{grace: 30}}, timeouts: []int64{30}, died: seconds(30)},
		{rules: "R1", desc: "spec counts if nobody asks", requests: []request{{grace: -1, evict: true}}, timeouts: []int64{60}, died: seconds(60)},
		{rules: "R1", desc: "the moment has passed", requests: []request{{grace: 30}, {after: seconds(29), grace: 10}}, timeouts: []int64{30, 0}, died: seconds(29)},
		{rules: "R2", desc: "longer changes nothing", requests: []request{{grace: 5}, {after: seconds(2), grace: 60}}, timeouts: []int64{5}, died: seconds(5)},
		{rules: "R2", desc: "equal changes nothing", requests: []request{{grace: 5}, {after: seconds(2), grace: 5}}, timeouts: []int64{5}, died: seconds(5)},
		{rules: "R3", desc: "delete(60), 3 s later delete(5)", requests: []request{{grace: 60}, {after: seconds(3), grace: 5}}, timeouts: []int64{60, 2}, died: seconds(5)},
		{rules: "R3", desc: "rounded up", requests: []request{{grace: 60}, {after: seconds(2.5), grace: 20}}, timeouts: []int64{60, 18}, died: seconds(20.5)},
		{rules: "R3", desc: "thrice", requests: []request{{grace: 60}, {after: seconds(2), grace: 20}, {after: seconds(4), grace: 8}}, timeouts: []int64{60, 18, 4}, died: seconds(8)},
		{rules: "R3", desc: "eviction over delete", requests: []request{{grace: 60}, {after: seconds(10), grace: 1, evict: true}}, timeouts: []int64{60, 1}, died: seconds(11)},
		{rules: "R1", desc: "an override counts from when it is made", requests: []request{{grace: 600}, {after: seconds(300), grace: 120, evict: true}}, timeouts: []int64{600, 120}, died: seconds(420)},
		{rules: "R2", desc: "an override that ends later changes nothing", requests: []request{{grace: 60}, {after: seconds(30), grace: 40, evict: true}}, timeouts: []int64{60}, died: seconds(60)},
		{rules: "R1", desc: "deletes count from the first of them", requests: []request{{grace: 300, evict: true}, {after: seconds(100), grace: 60}, {after: seconds(110), grace: 40}}, timeouts: []int64{300, 60, 30}, died: seconds(140)},
		{rules: "R4", desc: "force", requests: []request{{grace: 0}, {remove: true}}, timeouts: []int64{0}},
		{rules: "R4", desc: "force while terminating", requests: []request{{grace: 30}, {after: seconds(3), grace: 0}, {after: seconds(3), remove: true}}, timeouts: []int64{30, 0}, died: seconds(3)},
		{rules: "R4", desc: "zero is not lengthened", requests: []request{{grace: 0}, {grace: 30}}, timeouts: []int64{0}},
		{rules: "R5", desc: "now", requests: []request{{grace: 1}}, timeouts: []int64{2}, died: seconds(2)},
		{rules: "R14", desc: "the removal alone", requests: []request{{grace: 20}, {after: seconds(3), remove: true}}, timeouts: []int64{20}, died: seconds(20)},
		{rules: "R12", desc: "ends by itself", requests: []request{{grace: 30}}, exits: seconds(4), timeouts: []int64{30}, died: seconds(4)},
	} {
		t.Run(tc.rules+" "+tc.desc, func(t *testing.T) {
			got := play(t, &stubborn{refusals: tc.refusals, exits: tc.exits}, tc.requests)
			if diff := cmp.Diff(tc.timeouts, got.timeouts()); diff != "" {
				t.Errorf("timeouts of the stop calls (-want +got):\n%s", diff)
			}
			if got.diedAt != tc.died {
				t.Errorf("the container died after %v, want %v", got.diedAt, tc.died)
			}
			if err := settled(got); err != nil {
				t.Error(err)
			}
		})
	}
}

// R2, R11: a retry uses the same deadline, and a shorter request does not wait for the back-off.
func TestRetryKeepsDeadline(t *testing.T) {
	got := play(t, &stubborn{refusals: 2}, []request{{grace: 60}, {after: seconds(3), grace: 40}})
	if len(got.attempts) != 3 {
		t.Fatalf("got %d attempts, want 3", len(got.attempts))
	}
	if at := got.attempts[1].began; at != seconds(3) {
		t.Errorf("the shorter request led to an attempt after %v, want 3s", at)
	}
	if timeout := got.stops[1].timeout; timeout != 37 {
		t.Errorf("it had a timeout of %d s, want 37", timeout)
	}
	last := got.attempts[2]
	if want := (seconds(40) - last.began + time.Second - 1).Truncate(time.Second); time.Duration(got.stops[2].timeout)*time.Second != want {
		t.Errorf("the retry after %v had a timeout of %d s, want %v", last.began, got.stops[2].timeout, want)
	}
}

// R12: an orphan is killed with a grace period of 1 and leaves no record.
func TestOrphan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		pod := &stubborn{start: time.Now(), dead: make(chan struct{})}
		driver := NewDriver(ctx, pod, record.NewFakeRecorder(10))
		go driver.Run(ctx)
		driver.KillOrphan(ctx, &kubecontainer.Pod{ID: "1", Name: "pod", Namespace: "default"})
		<-pod.dead
		synctest.Wait()
		if len(pod.attempts) != 1 || pod.stops[0].timeout != 2 {
			t.Errorf("want one attempt with the minimum window, got %d", len(pod.attempts))
		}
		if state := driver.State("1"); state.Known || driver.Workers() != 0 {
			t.Errorf("something is left: %+v, %d workers", state, driver.Workers())
		}
	})
}

// settled checks what must hold for every pod that has ended (R8, R10, R13).
func settled(got outcome) error {
	var errs []error
	for i, a := range got.attempts {
		switch {
		case errors.Is(a.err, context.Canceled):
			if next := got.attempts[min(i+1, len(got.attempts)-1)]; next.began != a.returned {
				errs = append(errs, errors.New("R10: a cancelled attempt was followed by a back-off"))
			}
		case a.err != nil && !errors.Is(a.err, errRefused):
			errs = append(errs, a.err)
		}
	}
	if len(got.events) > 0 {
		errs = append(errs, errors.New("R10: events: "+got.events[0]))
	}
	if !got.cleaned || got.left.Known || got.workers > 0 {
		errs = append(errs, errors.New("R13: the worker left something behind"))
	}
	if !slices.IsSortedFunc(got.attempts, func(a, b *attempt) int { return int(a.began - b.began) }) {
		errs = append(errs, errors.New("attempts of one pod overlap"))
	}
	return errors.Join(errs...)
}
