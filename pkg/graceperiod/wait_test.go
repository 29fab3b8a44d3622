// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package graceperiod_test

import (
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/kgrace/kgrace/pkg/graceperiod"
)

// TestWait holds a wait against what should end it first. The times are such that no two of different kinds are the same.
func TestWait(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const never = 1 << 40
		draw := func(name string, off int64) int64 {
			return rapid.OneOf(rapid.Just(int64(never)), rapid.Int64Range(0, 20_000)).Draw(rt, name)*4 + off
		}
		done, giveUp, timeout := draw("done", 1), draw("give up", 2), draw("timeout", 0)
		grace := rapid.Int64Range(1, 60).Draw(rt, "grace")
		shorter := rapid.Int64Range(0, 70).Draw(rt, "shorter")
		shortened := draw("shortened", 3)
		retry := rapid.Bool().Draw(rt, "retry")

		deadline := int64(never * 4)
		if retry {
			deadline = grace * 1000
		}
		if moved := max(shorter*1000, shortened); shortened < never && (shorter == 0 || moved < grace*1000) {
			if shorter == 0 {
				moved = shortened
			}
			deadline = min(deadline, moved)
		}
		want := min(done, giveUp, timeout, deadline)
		if want >= never {
			rt.Skip("nothing ends it")
		}
		var got bool
		var waited int64
		synctest.Test(t, func(*testing.T) {
			start := time.Now()
			termination := graceperiod.NewTermination(start, grace)
			if retry {
				termination.Retry()
			}
			var timers []*time.Timer
			at := func(ms int64, f func()) {
				if ms < never {
					timers = append(timers, time.AfterFunc(time.Duration(ms)*time.Millisecond, f))
				}
			}
			doneAt, giveUpAt := make(chan struct{}), make(chan struct{})
			at(done, func() { close(doneAt) })
			at(giveUp, func() { close(giveUpAt) })
			at(shortened, func() { termination.Shorten(time.Now(), graceperiod.DeadlineAfter(start, shorter)) })
			got = termination.Wait(doneAt, giveUpAt, time.Duration(timeout)*time.Millisecond)
			waited = time.Since(start).Milliseconds()
			for _, timer := range timers {
				timer.Stop()
			}
		})
		if waited != want || got != (want == done) {
			rt.Fatalf("waited for %d ms: %t, want %d ms: %t", waited, got, want, want == done)
		}
	})
}

// What is done counts, also when everything else has come to pass as well.
func TestWaitPrefersDone(t *testing.T) {
	closed := make(chan struct{})
	close(closed)
	for range 100 {
		termination := graceperiod.NewTermination(time.Now(), 0)
		termination.Retry()
		if !termination.Wait(closed, closed, 0) {
			t.Fatal("what was done did not count")
		}
	}
}
