// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package history

import (
	"cmp"
	"slices"
	"time"
)

// Span is a time span.
type Span struct{ From, To time.Time }

// Lost returns the recorded spans in which a control was delayed or a read-only runtime call was slow.
func Lost(events []Event) []Span {
	var all []Span
	for _, e := range events {
		if e.Kind == ControlLate || e.Kind == CRISlow {
			all = append(all, Span{e.At, e.At.Add(time.Duration(e.Late * float64(time.Second)))})
		}
	}
	return all
}

// Covered returns how much of the time between from and to the spans cover, counting overlaps once.
func Covered(spans []Span, from, to time.Time) time.Duration {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Or(a.From.Compare(b.From), a.To.Compare(b.To)) })
	var sum time.Duration
	for _, s := range spans {
		if s.From.Before(from) {
			s.From = from
		}
		if s.To.After(to) {
			s.To = to
		}
		if s.To.After(s.From) {
			sum += s.To.Sub(s.From)
			from = s.To
		}
	}
	return sum
}
