// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package graceperiod_test

import (
	"encoding/binary"
	"math"
	"math/big"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kgrace/kgrace/pkg/graceperiod"
)

// model is the contract's R1, R2 and R4 in numbers that neither round nor overflow: nanoseconds from the begin.
type model struct {
	deadline *big.Int
	atOnce   bool
	binding  bool
}

func nanoseconds(seconds int64) *big.Int {
	return new(big.Int).Mul(big.NewInt(min(seconds, longest)), big.NewInt(int64(time.Second)))
}

// shorten takes a request that comes at now and counts from from. It returns whether the deadline moved.
func (m *model) shorten(now, from *big.Int, grace int64) bool {
	if m.atOnce {
		return false
	}
	if grace == 0 {
		m.atOnce, m.binding = true, true
		return true
	}
	asked := new(big.Int).Add(from, nanoseconds(grace))
	if asked.Cmp(now) < 0 {
		asked.Set(now)
	}
	if asked.Cmp(m.deadline) >= 0 {
		return false
	}
	m.deadline, m.binding = asked, true
	return true
}

// left is what is left of a grace period in whole seconds, rounded up.
func (m *model) left(now *big.Int) int64 {
	d := new(big.Int).Sub(m.deadline, now)
	if m.atOnce || d.Sign() <= 0 {
		return 0
	}
	second := big.NewInt(int64(time.Second))
	d.Add(d, new(big.Int).Sub(second, big.NewInt(1)))
	return d.Div(d, second).Int64()
}

// FuzzShortenings holds any sequence of requests and retries against the model. A request is 17 bytes: what it is, how long
// after the one before, and its grace period.
func FuzzShortenings(f *testing.F) {
	request := func(kind byte, gap time.Duration, grace int64) []byte {
		b := binary.BigEndian.AppendUint64([]byte{kind}, uint64(gap))
		return binary.BigEndian.AppendUint64(b, uint64(grace))
	}
	join := func(all ...[]byte) (b []byte) {
		for _, one := range all {
			b = append(b, one...)
		}
		return b
	}
	f.Add(int64(60), join(request(0, 3*time.Second, 5)))
	f.Add(int64(600), join(request(1, 300*time.Second, 120)))
	f.Add(int64(30), join(request(0, time.Second, 20), request(2, time.Second, 0), request(0, 1, 0), request(0, 1, 5)))
	f.Add(int64(math.MaxInt64), join(request(0, time.Nanosecond, math.MaxInt64-1), request(1, time.Hour, math.MaxInt32)))
	f.Fuzz(func(t *testing.T, grace int64, requests []byte) {
		grace = max(grace, 0) // the kubelet raises less than nothing to one second
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			termination := graceperiod.NewTermination(begin, grace)
			defer termination.End()
			want := &model{deadline: nanoseconds(grace), atOnce: grace == 0}
			for n := 0; len(requests) >= 17 && n < 32; n++ {
				kind, gap, asked := requests[0], binary.BigEndian.Uint64(requests[1:]), int64(binary.BigEndian.Uint64(requests[9:]))
				requests = requests[17:]
				asked = max(asked, 0)
				time.Sleep(time.Duration(gap % uint64(100*24*time.Hour)))
				now := time.Now()
				since := big.NewInt(int64(now.Sub(begin)))
				switch kind % 3 {
				case 0, 1:
					from, fromBig := begin, new(big.Int)
					if kind%3 == 1 {
						from, fromBig = now, since
					}
					moved := termination.Moved()
					got, expected := termination.Shorten(now, graceperiod.DeadlineAfter(from, asked)), want.shorten(since, fromBig, asked)
					if got != expected {
						t.Fatalf("request %d for %d s moved the deadline: %t, want %t", n, asked, got, expected)
					}
					select {
					case <-moved:
						if !expected {
							t.Fatalf("request %d changed nothing, and who waits was told of it", n)
						}
					default:
						if expected {
							t.Fatalf("request %d moved the deadline, and who waits was not told", n)
						}
					}
				case 2:
					termination.Retry()
					want.binding = true
				}
				if got, left := termination.Seconds(), want.left(since); got != left {
					t.Fatalf("after request %d %d s are left, want %d s", n, got, left)
				}
				if got := termination.AtOnce(); got != want.atOnce {
					t.Fatalf("after request %d at once is %t, want %t", n, got, want.atOnce)
				}
				known := int64(math.MaxInt64)
				if want.binding {
					known = want.left(since)
				}
				if got := termination.Left(math.MaxInt64); got != known {
					t.Fatalf("after request %d a caller that knows of no end has %d s left, want %d s", n, got, known)
				}
			}
		})
	})
}
