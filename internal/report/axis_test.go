// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestAxisIsStraight(t *testing.T) {
	a := newAxis([]time.Duration{0, 3 * time.Second, 30 * time.Second})
	if a.broken() {
		t.Error("a wait of half a minute must not be broken")
	}
	if got, want := a.at(15*time.Second), (axisLeft+axisRight)/2; math.Abs(got-want) > 1e-9 {
		t.Errorf("the middle is at %v, want %v", got, want)
	}
	if a.at(-time.Hour) != axisLeft || a.at(time.Hour) != axisRight {
		t.Error("a time outside is not at the edge")
	}
}

func TestAxisLeavesOutALongNothing(t *testing.T) {
	a := newAxis([]time.Duration{0, 10 * time.Second, 3600 * time.Second})
	if !a.broken() {
		t.Fatal("an hour without events is not broken")
	}
	if ten := a.at(10*time.Second) - axisLeft; ten < 40 {
		t.Errorf("the first ten seconds take only %v %%", ten)
	}
	if ticks := a.ticks(); len(ticks) < 4 || ticks[len(ticks)-1] != time.Hour {
		t.Errorf("ticks %v", ticks)
	}
}

// TestAxisKeepsOrder checks that earlier times are further left, within the width, and that ticks keep apart.
func TestAxisKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		moments := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.Int64Range(-int64(time.Second), int64(2*time.Hour)).Draw(t, "ns"))
		}), 0, 20).Draw(t, "moments")
		a := newAxis(moments)
		slices.Sort(moments)
		last := 0.0
		for _, m := range moments {
			at := a.at(m)
			if at < last || at < axisLeft || at > axisRight+1e-9 {
				t.Fatalf("%v is at %v after %v on %+v", m, at, last, a)
			}
			last = at
		}
		last = -8
		for _, m := range a.ticks() {
			if at := a.at(m); at < last+8 {
				t.Fatalf("tick %v at %v after %v on %+v", m, at, last, a)
			} else {
				last = at
			}
		}
	})
}

// TestRowsNeverOverlap checks that ranges in one row keep apart.
func TestRowsNeverOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r rows
		type taken struct {
			row    int
			lo, hi float64
		}
		var all []taken
		for range rapid.IntRange(0, 30).Draw(t, "n") {
			lo := rapid.Float64Range(0, 300).Draw(t, "lo")
			hi := lo + rapid.Float64Range(0, 150).Draw(t, "width")
			one := taken{r.place(lo, hi), lo, hi}
			for _, other := range all {
				if other.row == one.row && one.lo < other.hi && other.lo < one.hi {
					t.Fatalf("%v and %v", one, other)
				}
			}
			all = append(all, one)
		}
	})
}

func TestInSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0 s", 30 * time.Millisecond: "0.03 s", 5 * time.Second: "5 s",
		30970 * time.Millisecond: "31 s", 7040 * time.Millisecond: "7 s", 24040 * time.Millisecond: "24 s", 30640 * time.Millisecond: "30.6 s"} {
		if got := inSeconds(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

var colour = regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6});`)

// TestContrast checks every pair of adjacent colours against WCAG 2: 4.5 for text, 3 for shapes.
func TestContrast(t *testing.T) {
	for scheme, colours := range palettes(t) {
		for ratio, pairs := range map[float64][]string{
			4.5: {"ink paper", "ink card", "soft paper", "soft card", "link paper", "link card", "deadline card", "fault paper", "fault card",
				"fault fault-ground", "good paper", "good card", "good good-ground", "kept kept-ground", "loud loud-ground", "hook card", "call card", "event card"},
			3: {"fault fault-ground", "window card", "good card", "soft card"},
		} {
			for _, pair := range pairs {
				on, ground, _ := strings.Cut(pair, " ")
				if colours[on] == "" || colours[ground] == "" {
					t.Errorf("%s: no colours %s", scheme, pair)
				} else if got := contrast(colours[on], colours[ground]); got < ratio {
					t.Errorf("%s: %s on %s: contrast %.2f, want %.1f", scheme, on, ground, got, ratio)
				}
			}
		}
	}
}

func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

func luminance(hex string) float64 {
	rgb := linear(hex)
	return .2126*rgb[0] + .7152*rgb[1] + .0722*rgb[2]
}
