// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kgrace/kgrace/internal/verdict"
)

// The concurrency depends on the cores, the first pod, and the user's setting.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		name     string
		cores    int
		took     time.Duration
		jobs     int
		oneByOne bool
		each     int
		both     bool
	}{
		{"two idle cores", 2, time.Second, 0, false, 14, true},
		{"two cores, half of them taken", 2, 4 * time.Second, 0, false, 7, true},
		{"two cores, hardly any of them left", 2, 8 * time.Second, 0, false, 7, false},
		{"two cores, none of them left", 2, 2 * time.Minute, 0, false, 1, false},
		{"one core", 1, time.Second, 0, false, 7, true},
		{"eight cores", 8, time.Second, 0, false, 56, true},
		{"one arm after the other", 2, time.Second, 0, true, 28, false},
		{"one at a time", 2, time.Second, 1, false, 1, false},
		{"as many as that", 2, time.Minute, 30, false, 15, true},
	} {
		p := newPace(Options{Arms: verdict.Arms(), Jobs: c.jobs, OneByOne: c.oneByOne})
		p.cores = c.cores
		p.settle(c.took)
		p.settle(time.Hour) // too late to have an effect
		if p.each != c.each || p.both != c.both || !strings.Contains(p.why, "to start, with") {
			t.Errorf("%s: %d on each arm, side by side %v (%s), want %d, %v", c.name, p.each, p.both, p.why, c.each, c.both)
		}
	}
	alone := newPace(Options{Arms: []verdict.Arm{verdict.Stock}})
	alone.cores = 2
	if alone.settle(time.Second); alone.each != 28 || alone.both {
		t.Errorf("one arm: %+v", alone)
	}
}

// An arm's scenarios wait for the other arm's place only if both run at once.
func TestCalm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(Options{Arms: verdict.Arms()})
		p.cores = 2
		p.placeUp()
		p.settle(time.Second)
		begin := time.Now()
		time.AfterFunc(time.Minute, p.placeUp)
		if p.calm(t.Context()); time.Since(begin) != time.Minute {
			t.Errorf("waited %v", time.Since(begin))
		}
		one := newPace(Options{Arms: verdict.Arms(), OneByOne: true})
		one.placeUp()
		one.settle(time.Second)
		one.calm(t.Context())
	})
}

// First requests are apart across scenarios; no more pods start at once than there are slots.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(Options{Arms: verdict.Arms()})
		now := time.Now()
		for i, c := range []struct{ from, want time.Duration }{{0, 0}, {0, apart}, {time.Second, time.Second}, {time.Second, time.Second + apart}} {
			if got := p.turn(now.Add(c.from)); !got.Equal(now.Add(c.want)) {
				t.Errorf("%d: %v, want %v", i, got.Sub(now), c.want)
			}
		}
		p.starts = make(chan struct{}, 1)
		done, err := p.start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.start(ctx); err == nil {
			t.Error("two pods start at once with one slot")
		}
		done()
		if _, err := p.start(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
