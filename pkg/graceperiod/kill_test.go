// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package graceperiod_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/kgrace/kgrace/pkg/graceperiod"
)

// TestKill holds any sequence of attempts against the rules of their kill: an attempt returns when it is canceled, the kill
// goes on and is the only one, and its result is returned once.
func TestKill(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		took := rapid.SliceOfN(rapid.IntRange(1, 50), 1, 4).Draw(rt, "seconds that kills take")
		attempts := rapid.SliceOfN(rapid.IntRange(0, 30), 1, 12).Draw(rt, "seconds until attempts are canceled")
		var err error // rapid must not fail inside of the bubble
		synctest.Test(t, func(*testing.T) { err = play(took, attempts) })
		if err != nil {
			rt.Fatal(err)
		}
	})
}

// play makes attempts that are canceled after so many seconds, the next as soon as the last has returned. Kills take the
// given seconds by turns.
func play(took, attempts []int) error {
	termination := graceperiod.NewTermination(time.Now(), 60)
	kills, returned := 0, 0
	running, overlap := false, false
	kill := func(ctx context.Context) error {
		overlap = overlap || running
		running = true
		defer func() { running = false }()
		kills++
		this := kills
		time.Sleep(time.Duration(took[(this-1)%len(took)]) * time.Second)
		return errors.Join(fmt.Errorf("kill %d", this), ctx.Err())
	}
	var killed time.Time // when the kill under way ends
	for _, after := range attempts {
		begin := time.Now()
		if kills == returned {
			killed = begin.Add(time.Duration(took[kills%len(took)]) * time.Second)
		}
		// a millisecond more each time, so that no kill ends at the same time
		canceled := begin.Add(time.Duration(after)*time.Second + time.Millisecond)
		ctx, cancel := context.WithDeadline(context.Background(), canceled)
		err := termination.Kill(ctx, kill)
		cancel()
		want, result := canceled, context.DeadlineExceeded.Error()
		if killed.Before(canceled) {
			returned++
			want, result = begin, fmt.Sprintf("kill %d", returned)
			if killed.After(begin) {
				want = killed
			}
		}
		if now := time.Now(); !now.Equal(want) || err == nil || err.Error() != result {
			return fmt.Errorf("an attempt returned %q after %v, want %q after %v", err, now.Sub(begin), result, want.Sub(begin))
		}
	}
	time.Sleep(time.Minute)
	termination.End()
	if overlap || kills > returned+1 {
		return fmt.Errorf("%d kills for %d results, two at once: %t", kills, returned, overlap)
	}
	return nil
}

// The end of the termination cancels what its kill has left behind, and only that.
func TestEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		termination := graceperiod.NewTermination(time.Now(), 60)
		var left context.Context
		ctx, cancel := context.WithCancel(context.Background())
		if err := termination.Kill(ctx, func(ctx context.Context) error { left = ctx; return nil }); err != nil {
			t.Fatal(err)
		}
		cancel()
		synctest.Wait()
		if left.Err() != nil {
			t.Error("the end of an attempt canceled what the kill has left behind")
		}
		termination.End()
		synctest.Wait()
		if left.Err() == nil {
			t.Error("what the kill has left behind outlives the termination")
		}
	})
}

// TestSteps holds any sequence of steps against a set of those that were taken.
func TestSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		termination, taken := graceperiod.NewTermination(time.Now(), 60), map[string]bool{}
		step := rapid.SampledFrom([]string{"hook a", "hook b", "event a"})
		t.Repeat(map[string]func(*rapid.T){
			"once": func(t *rapid.T) {
				name := step.Draw(t, "step")
				if got := termination.Once(name); got == taken[name] {
					t.Fatalf("%s: to be taken is %t, and it was taken: %t", name, got, taken[name])
				}
				taken[name] = true
			},
			"repeat": func(t *rapid.T) {
				name := step.Draw(t, "step")
				termination.Repeat(name)
				delete(taken, name)
			},
		})
	})
}
