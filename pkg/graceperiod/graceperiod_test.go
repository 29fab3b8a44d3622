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

package graceperiod_test

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kgrace/kgrace/pkg/graceperiod"
)

func ptr(seconds int64) *int64 { return &seconds }

func show(seconds *int64) string {
	if seconds == nil {
		return "unset"
	}
	return fmt.Sprint(*seconds)
}

func TestShortest(t *testing.T) {
	for _, tc := range []struct {
		desc    string
		periods []*int64
		want    *int64
	}{
		{desc: "nothing"},
		{desc: "only unset", periods: []*int64{nil, nil}},
		{desc: "unset beside a value", periods: []*int64{nil, ptr(30), nil}, want: ptr(30)},
		{desc: "zero is a value", periods: []*int64{nil, ptr(0)}, want: ptr(0)},
		{desc: "zero is not lengthened", periods: []*int64{ptr(0), ptr(30)}, want: ptr(0)},
		{desc: "the shortest of three", periods: []*int64{ptr(60), ptr(5), ptr(20)}, want: ptr(5)},
		{desc: "negative is one", periods: []*int64{ptr(60), ptr(-1)}, want: ptr(1)},
		{desc: "negative is longer than zero", periods: []*int64{ptr(-5), ptr(0)}, want: ptr(0)},
	} {
		t.Run(tc.desc, func(t *testing.T) {
			if got := graceperiod.Shortest(tc.periods...); show(got) != show(tc.want) {
				t.Errorf("got %s, want %s", show(got), show(tc.want))
			}
		})
	}
}

func TestShortestDoesNotAlias(t *testing.T) {
	asked := ptr(30)
	got := graceperiod.Shortest(asked)
	*asked = 5
	if *got != 30 {
		t.Errorf("a recorded period changed with the request it came from: %d", *got)
	}
}

func TestDeadline(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tc := range []struct {
		desc      string
		grace     int64
		after     time.Duration
		remaining time.Duration
		seconds   int64
		timeout   int64
	}{
		{desc: "start", grace: 60, remaining: time.Minute, seconds: 60, timeout: 60},
		{desc: "delete(60), then delete(5) after 3 s", grace: 5, after: 3 * time.Second, remaining: 2 * time.Second, seconds: 2, timeout: 2},
		{desc: "up, never down", grace: 10, after: 1, remaining: 10*time.Second - 1, seconds: 10, timeout: 10},
		{desc: "less than the window", grace: 5, after: 4 * time.Second, remaining: time.Second, seconds: 1, timeout: 2},
		{desc: "passed", grace: 5, after: 29 * time.Second, timeout: 2},
		{desc: "one", grace: 1, remaining: time.Second, seconds: 1, timeout: 2},
		{desc: "zero", grace: 0},
		{desc: "zero, later", grace: 0, after: time.Minute},
	} {
		t.Run(tc.desc, func(t *testing.T) {
			d, now := graceperiod.NewDeadline(start, tc.grace), start.Add(tc.after)
			if got := d.Remaining(now); got != tc.remaining {
				t.Errorf("remaining %v, want %v", got, tc.remaining)
			}
			if got := d.Seconds(now); got != tc.seconds {
				t.Errorf("%d s, want %d", got, tc.seconds)
			}
			if got := d.StopTimeout(now); got != tc.timeout {
				t.Errorf("stop timeout %d s, want %d", got, tc.timeout)
			}
		})
	}
}

// TestShortening holds the rules about several requests for any sequence of them.
func TestShortening(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := time.Unix(0, rapid.Int64Range(0, 1<<60).Draw(t, "start"))
		asked := rapid.SliceOfN(rapid.Int64Range(-1, 7200), 1, 8).Draw(t, "asked")
		var recorded *int64
		var last time.Time
		for i, seconds := range asked {
			before := recorded
			recorded = graceperiod.Shortest(recorded, &seconds)
			deadline := graceperiod.NewDeadline(start, *recorded)
			if i > 0 && deadline.Time().After(last) {
				t.Fatalf("asking for %d moved the deadline of %s away", seconds, show(before))
			}
			last = deadline.Time()
			if deadline.AtOnce() != (*recorded == 0) {
				t.Fatalf("%d: at once is %t", *recorded, deadline.AtOnce())
			}
		}
	})
}

// FuzzDeadline holds the arithmetic of one deadline against numbers that do not round or overflow.
func FuzzDeadline(f *testing.F) {
	f.Add(int64(60), int64(3*time.Second))
	f.Add(int64(0), int64(0))
	f.Add(int64(1), int64(999_999_999))
	f.Add(int64(-1), int64(-5*time.Second))
	f.Fuzz(func(t *testing.T, grace, after int64) {
		// a longer grace period counts as this one, and the clock of a kubelet is not centuries off
		grace = min(grace, 1<<32)
		after %= 1 << 60
		start := time.Unix(1<<32, 0)
		now := start.Add(time.Duration(after))
		d := graceperiod.NewDeadline(start, grace)

		if grace < 0 {
			grace = 1
		}
		exact := new(big.Rat).SetInt64(grace)
		exact.Sub(exact, big.NewRat(after, int64(time.Second)))
		if exact.Sign() < 0 {
			exact.SetInt64(0)
		}
		if got := big.NewRat(int64(d.Remaining(now)), int64(time.Second)); got.Cmp(exact) != 0 {
			t.Errorf("remaining %v s, want %v", got, exact)
		}
		seconds := new(big.Rat).SetInt64(d.Seconds(now))
		if over := new(big.Rat).Sub(seconds, exact); over.Sign() < 0 || over.Cmp(big.NewRat(1, 1)) >= 0 {
			t.Errorf("%v s for %v: not rounded up to the next second", seconds, exact)
		}
		timeout := d.StopTimeout(now)
		if grace == 0 && timeout != 0 || grace > 0 && timeout < 2 || timeout > max(d.Seconds(now), 2) {
			t.Errorf("stop timeout %d s with %v s left of %d", timeout, exact, grace)
		}
	})
}
