// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// drawing is a timeline as SVG shapes, in painting order. Horizontal positions are in percent and sizes in pixels, so that it
// fits any width with the same letter size; the template renders it.
type drawing struct {
	ID, Title, Text string
	Height          int
	Lines           []line
	Rects           []rect
	Marks           []mark
	Labels          []label
}

type line struct{ X1, Y1, X2, Y2, Class string }

type rect struct {
	X, W         string
	Y, H         int
	Class, Title string
}

// mark is a symbol that the page defines once.
type mark struct {
	X             string
	Y             int
	Symbol, Class string
	Title         string
}

// label is a text; Anchor is start, middle or end.
type label struct {
	X      string
	DX, Y  int
	Anchor string
	Class  string
	Text   string
}

// Measures in pixels. Labels are placed for the narrowest width and so fit any other: the distance between two positions in
// percent only grows.
const (
	narrow    = 318.0 // a phone of 360 pixels, margins taken off
	perLetter = 6.7   // the widest of the usual faces at the size of a label
	markWidth = 7.0   // from the middle of a symbol to its label
	rowHeight = 19
	barHeight = 12
	headRoom  = 22
)

// draw draws a timeline on an axis. text is the same timeline as text, for screen readers.
func draw(s timeline, a axis, id, title, text string) drawing {
	d := &drawing{ID: id, Title: title, Text: text}
	y := d.ticks(a)
	top := y
	for i, l := range s.lanes {
		if i > 0 {
			y += 6
			d.Lines = append(d.Lines, line{"0", strconv.Itoa(y), "100%", strconv.Itoa(y), "rule"})
			y += 3
		}
		y = d.lane(l, a, y)
	}
	d.Height = y + 4
	grid := d.Lines
	d.Lines = nil
	for _, m := range a.ticks() {
		x := percent(a.at(m))
		d.Lines = append(d.Lines, line{x, strconv.Itoa(top - 3), x, strconv.Itoa(d.Height), "grid"})
	}
	d.Lines = append(d.Lines, grid...)
	if a.broken() {
		x := a.at(a.from)
		d.Rects = append([]rect{{percent(x), percent(a.at(a.to) - x), top - 3, d.Height - top + 3, "break",
			"here " + inSeconds((a.to - a.from).Round(time.Second)) + " are left out, in which nothing happened"}}, d.Rects...)
	}
	if s.deadline != nil && *s.deadline <= a.end {
		x := percent(a.at(*s.deadline))
		d.Lines = append(d.Lines, line{x, strconv.Itoa(top), x, strconv.Itoa(d.Height), "deadline"})
	}
	return *d
}

// ticks writes the seconds above the drawing and returns the y position below them.
func (d *drawing) ticks(a axis) int {
	for i, m := range a.ticks() {
		text := strconv.FormatFloat(m.Seconds(), 'f', -1, 64)
		anchor, x := "middle", percent(a.at(m))
		if i == 0 {
			text, anchor, x = "0 s", "start", "0"
		}
		d.Labels = append(d.Labels, label{x, 0, 12, anchor, "tick", text})
	}
	if a.broken() {
		d.Labels = append(d.Labels, label{percent((a.at(a.from) + a.at(a.to)) / 2), 0, 12, "middle", "tick", "⋯"})
	}
	return 20
}

// lane draws one lane from y on and returns its end.
func (d *drawing) lane(l *lane, a axis, y int) int {
	d.Labels = append(d.Labels, label{"0", 0, y + 14, "start", "name", l.name})
	if l.about != "" {
		d.Labels = append(d.Labels, label{"0", int(float64(len(l.name))*7.6) + 10, y + 14, "start", "about", l.about})
	}
	y += headRoom
	if len(l.lives) > 0 {
		for _, one := range l.lives {
			d.bar(one, a, y, barHeight)
		}
		for _, p := range l.points {
			x := percent(a.at(p.at))
			d.Lines = append(d.Lines, line{x, strconv.Itoa(y - 1), x, strconv.Itoa(y + barHeight + 4), "pin"})
		}
		y += barHeight + 3
	}
	y = d.points(l, a, y)
	return d.spans(l, a, y)
}

// points draws symbols with their labels, in as many rows as the labels need.
func (d *drawing) points(l *lane, a axis, y int) int {
	var rows rows
	for _, p := range l.points {
		x := a.at(p.at)
		at := x / 100 * narrow
		wide := markWidth + 3 + perLetter*float64(len([]rune(p.label)))
		anchor, lo, hi := "start", at-markWidth, at+wide
		if hi > narrow && at-wide >= 0 {
			anchor, lo, hi = "end", at-wide, at+markWidth
		}
		if p.label == "" {
			lo, hi = at-2, at+2
		}
		row := y + rowHeight*rows.place(lo, hi)
		symbol, _, _ := strings.Cut(p.kind, " ")
		d.Marks = append(d.Marks, mark{percent(x), row + 9, symbol, p.kind, p.title})
		if p.label == "" {
			continue
		}
		dx := int(markWidth) + 2
		if anchor == "end" {
			dx = -dx
		}
		d.Labels = append(d.Labels, label{percent(x), dx, row + 13, anchor, "of " + p.kind, p.label})
	}
	return y + rowHeight*len(rows)
}

// spans draws bars under their labels, in as many rows as needed: hooks first, then calls in order.
func (d *drawing) spans(l *lane, a axis, y int) int {
	spans := slices.Clone(l.spans)
	slices.SortStableFunc(spans, func(a, b span) int {
		hook := func(s span) int {
			if strings.HasPrefix(s.kind, "hook") {
				return 0
			}
			return 1
		}
		return hook(a) - hook(b)
	})
	const height = 26
	var rows rows
	named := map[string]int{} // the row of the first call of its kind, which has the label
	for _, one := range spans {
		from, to := a.at(one.from), a.at(one.to)
		wide := perLetter * float64(len([]rune(one.label)))
		if strings.HasPrefix(one.kind, "deadline") {
			wide += 12
		}
		anchor, x := "start", from
		lo, hi := from/100*narrow, max(to/100*narrow, from/100*narrow+wide)
		if hi > narrow {
			anchor, x = "end", axisRight
			if to < axisRight && to/100*narrow-wide >= 0 {
				x = to
			}
			lo, hi = min(from/100*narrow, x/100*narrow-wide), max(to/100*narrow, x/100*narrow)
		}
		if one.due != nil && *one.due > one.to {
			hi = max(hi, a.at(*one.due)/100*narrow)
		}
		at, ok := named[one.call]
		if one.label != "" || !ok {
			at = rows.place(lo, hi+4)
			named[one.call] = at
		}
		row := y + height*at
		if one.label != "" {
			dx := 0
			if strings.HasPrefix(one.kind, "deadline") && anchor == "start" && to-from < 1 {
				dx = 12 // beside its flag
			}
			d.Labels = append(d.Labels, label{percent(x), dx, row + 12, anchor, "of " + one.kind, one.label})
		}
		d.timeout(one, a, row+16)
		d.bar(one, a, row+16, 7)
	}
	return y + height*len(rows)
}

// timeout draws the remaining timeout of a stop call that returned early.
func (d *drawing) timeout(one span, a axis, y int) {
	if one.due == nil || *one.due <= one.to {
		return
	}
	from, to := a.at(one.to), a.at(*one.due)
	d.Rects = append(d.Rects, rect{percent(from), percent(to - from), y + 2, 3, "timeout", one.title})
	if *one.due <= a.end {
		x := percent(to)
		d.Lines = append(d.Lines, line{x, strconv.Itoa(y - 1), x, strconv.Itoa(y + 8), "due"})
	}
}

func (d *drawing) bar(one span, a axis, y, height int) {
	from, to := a.at(one.from), a.at(one.to)
	if one.kind == "life" {
		from = 0 // it was alive before
		if one.from > 0 {
			from = a.at(one.from)
		}
	}
	if one.open {
		to = 100
	}
	if strings.HasPrefix(one.kind, "deadline") {
		d.arrow(one, a, y, from, to)
		return
	}
	d.Rects = append(d.Rects, rect{percent(from), percent(max(to-from, .5)), y, height, one.kind, one.title})
	if strings.HasPrefix(one.kind, "overdue") && one.label != "" {
		// Put the label into the bar if it fits.
		if (to-from)/100*narrow > perLetter*float64(len([]rune(one.label)))+8 {
			d.Labels = append(d.Labels, label{percent(to), -12, y + 10, "end", "of " + one.kind, one.label})
		}
	}
}

// arrow draws a deadline: a thin line from the request to the deadline, with a flag there.
func (d *drawing) arrow(one span, a axis, y int, from, to float64) {
	class := one.kind
	middle := strconv.Itoa(y + 3)
	if one.to > a.end {
		to = 100
	} else {
		d.Marks = append(d.Marks, mark{percent(to), y + 3, "flag", class, one.title})
	}
	d.Lines = append(d.Lines, line{percent(from), middle, percent(to), middle, "arrow " + class})
}

// rows records the occupied ranges of each row, in pixels.
type rows [][][2]float64

// place occupies lo to hi in the first row with room, and returns the row's number.
func (r *rows) place(lo, hi float64) int {
	for i, row := range *r {
		if !slices.ContainsFunc(row, func(taken [2]float64) bool { return lo < taken[1]+3 && hi > taken[0]-3 }) {
			(*r)[i] = append(row, [2]float64{lo, hi})
			return i
		}
	}
	*r = append(*r, [][2]float64{{lo, hi}})
	return len(*r) - 1
}
