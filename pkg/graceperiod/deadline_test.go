// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package graceperiod_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/kgrace/kgrace/pkg/graceperiod"
)

// longest is the longest grace period in seconds; longer ones count as this one.
const longest = math.MaxInt32

// FuzzDeadline holds the arithmetic of one deadline against numbers that do not round or overflow.
func FuzzDeadline(f *testing.F) {
	f.Add(int64(60), int64(3*time.Second))
	f.Add(int64(0), int64(0))
	f.Add(int64(1), int64(999_999_999))
	f.Add(int64(5), int64(-5*time.Second))
	f.Add(int64(math.MaxInt64), int64(1))
	f.Fuzz(func(t *testing.T, grace, after int64) {
		// the clock of a kubelet is not centuries off, and nobody asks for less than nothing
		after %= 1 << 60
		grace = max(grace, 0)
		synctest.Test(t, func(t *testing.T) {
			termination := graceperiod.NewTermination(time.Now().Add(-time.Duration(after)), grace)
			exact := new(big.Rat).SetInt64(min(grace, longest))
			exact.Sub(exact, big.NewRat(after, int64(time.Second)))
			if exact.Sign() < 0 || grace == 0 {
				exact.SetInt64(0)
			}
			left := termination.Seconds()
			if over := new(big.Rat).Sub(new(big.Rat).SetInt64(left), exact); over.Sign() < 0 || over.Cmp(big.NewRat(1, 1)) >= 0 {
				t.Errorf("%d s for %v: not rounded up to the next second", left, exact)
			}
			if termination.AtOnce() != (grace == 0) {
				t.Errorf("at once with a grace period of %d s: %t", grace, termination.AtOnce())
			}
			if got := termination.Left(grace); got != grace {
				t.Errorf("%d s were left of %d s that nobody had shortened", got, grace)
			}
			termination.Retry()
			if got := termination.Left(grace); got != min(grace, left) {
				t.Errorf("a retry has %d s left of %d s, want %d s", got, grace, min(grace, left))
			}
		})
	})
}

// TestShortening holds the rules about several requests for any sequence of them: the deadline only moves closer, a moment
// that has passed is now, and zero is earlier than all.
func TestShortening(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		grace := rapid.Int64Range(0, 7200).Draw(rt, "grace")
		requests := rapid.SliceOfN(rapid.Custom(drawRequest), 1, 8).Draw(rt, "requests")
		var err error // rapid must not fail inside of the bubble
		synctest.Test(t, func(*testing.T) {
			start := time.Now()
			termination := graceperiod.NewTermination(start, grace)
			for i := 0; i < len(requests) && err == nil; i++ {
				time.Sleep(requests[i].gap)
				err = shorten(termination, start, requests[i])
			}
		})
		if err != nil {
			rt.Fatal(err)
		}
	})
}

// request asks for a grace period in seconds, that long after the one before.
type request struct {
	gap     time.Duration
	grace   int64
	fromNow bool // or else from the start
}

func drawRequest(t *rapid.T) request {
	return request{
		gap:     time.Duration(rapid.Int64Range(0, int64(20*time.Minute)).Draw(t, "gap")),
		grace:   rapid.OneOf(rapid.SampledFrom([]int64{0, 1, math.MaxInt64}), rapid.Int64Range(0, 7200)).Draw(t, "grace"),
		fromNow: rapid.Bool().Draw(t, "from now"),
	}
}

// shorten makes a request and checks what it changes.
func shorten(termination *graceperiod.Termination, start time.Time, r request) error {
	now, before, atOnce, moved := time.Now(), termination.Deadline(), termination.AtOnce(), termination.Moved()
	from := start
	if r.fromNow {
		from = now
	}
	want := from.Add(time.Duration(min(r.grace, longest)) * time.Second)
	if want.Before(now) {
		want = now
	}
	expected := !atOnce && (r.grace == 0 || want.Before(before))
	if got := termination.Shorten(now, graceperiod.DeadlineAfter(from, r.grace)); got != expected {
		return fmt.Errorf("%+v after %v moved a deadline of %v: %t, want %t", r, now.Sub(start), before.Sub(start), got, expected)
	}
	told := false
	select {
	case <-moved:
		told = true
	default:
	}
	if told != expected {
		return fmt.Errorf("%+v: who waits was told of it: %t, want %t", r, told, expected)
	}
	switch after := termination.Deadline(); {
	case !expected && !after.Equal(before):
		return fmt.Errorf("%+v: a request that changes nothing moved the deadline from %v to %v", r, before, after)
	case expected && r.grace > 0 && !after.Equal(want):
		return fmt.Errorf("%+v: the deadline is %v after the start, want %v", r, after.Sub(start), want.Sub(start))
	case termination.AtOnce() != (atOnce || expected && r.grace == 0):
		return fmt.Errorf("%+v: at once is %t, and was %t", r, termination.AtOnce(), atOnce)
	}
	if left := termination.Left(math.MaxInt64); expected && left != termination.Seconds() {
		return fmt.Errorf("%+v: %d s are left, want %d s: the deadline has moved", r, left, termination.Seconds())
	}
	return nil
}

// A pod that is not being terminated has nothing that could be shortened.
func TestNoTermination(t *testing.T) {
	var none *graceperiod.Termination
	if none.Shorten(time.Now(), time.Time{}) || none.AtOnce() || none.Moved() != nil || none.Left(30) != 30 {
		t.Error("something was shortened")
	}
	none.Repeat("hook")
	if !none.Once("hook") || !none.Once("hook") {
		t.Error("a step was remembered")
	}
}
