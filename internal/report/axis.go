// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// axis maps times, counted from the first request, to the width of a drawing. Both arms of a scenario share one. It is linear
// except for one long gap without events on any arm, which is drawn as a break, so that the interesting part is not squeezed
// into the first pixels of an hour.
type axis struct {
	end time.Duration
	// from and to are the bounds of the break; both are 0 if there is none.
	from, to time.Duration
}

// Positions on the width, in percent: the drawing is as wide as its container, on a phone as on a desktop.
const (
	axisLeft  = 1.6
	axisRight = 96.0
	// breakWidth is the width of a break.
	breakWidth = 14.0
	// worthBreaking is the minimum share of the whole for a gap to be broken. Below it, the length of a wait is what the
	// drawing must show.
	worthBreaking = .94
)

// newAxis returns the axis for events at the given times.
func newAxis(moments []time.Duration) axis {
	a := axis{end: time.Second}
	if len(moments) == 0 {
		return a
	}
	moments = append(slices.Clone(moments), 0)
	slices.Sort(moments)
	a.end = max(a.end, moments[len(moments)-1])
	var from, to time.Duration
	for i, m := range moments[1:] {
		if before := max(moments[i], 0); m-before > to-from {
			from, to = before, m
		}
	}
	if float64(to-from) > worthBreaking*float64(a.end) {
		// Keep a little of the gap on both sides, so that its ends do not touch other shapes.
		rest := a.end - (to - from)
		a.from, a.to = from+max(rest/6, time.Second/10), to-max(rest/6, time.Second/10)
	}
	return a
}

func (a axis) broken() bool { return a.to > a.from }

// at returns the position of a time in percent of the width. Times outside are drawn at the edge.
func (a axis) at(m time.Duration) float64 {
	m = min(max(m, 0), a.end)
	const width = axisRight - axisLeft
	if !a.broken() {
		return axisLeft + width*float64(m)/float64(a.end)
	}
	per := (width - breakWidth) / float64(a.end-(a.to-a.from))
	switch {
	case m <= a.from:
		return axisLeft + per*float64(m)
	case m < a.to:
		return axisLeft + per*float64(a.from) + breakWidth*float64(m-a.from)/float64(a.to-a.from)
	default:
		return axisLeft + per*float64(a.from) + breakWidth + per*float64(m-a.to)
	}
}

// ticks returns the times of the axis marks: round numbers, few enough for a phone.
func (a axis) ticks() []time.Duration {
	shown := a.end - (a.to - a.from)
	var step time.Duration
	for _, s := range []float64{.1, .2, .5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600} {
		step = time.Duration(s * float64(time.Second))
		if shown/step < 7 {
			break
		}
	}
	var all []time.Duration
	last := -100.0
	for m := time.Duration(0); m <= a.end; m += step {
		if a.broken() && m > a.from && m < a.to {
			m = a.to.Truncate(step)
			continue
		}
		// Beside a break two ticks may be too close.
		if place := a.at(m); place-last > 8 {
			all, last = append(all, m), place
		}
	}
	return all
}

// percent formats a position or a width, short and deterministic.
func percent(p float64) string {
	return strconv.FormatFloat(math.Round(p*100)/100, 'f', -1, 64) + "%"
}

// inSeconds formats a time for people: "3 s", "0.2 s", "30.1 s".
func inSeconds(d time.Duration) string {
	s := d.Seconds()
	digits := 1
	if math.Abs(s) < 1 && d != 0 {
		digits = 2
	}
	text := strconv.FormatFloat(s, 'f', digits, 64)
	if f, _ := strconv.ParseFloat(text, 64); f == math.Trunc(f) {
		text = strconv.FormatFloat(f, 'f', 0, 64)
	}
	return text + " s"
}
