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
