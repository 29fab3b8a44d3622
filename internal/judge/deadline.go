// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import "time"

// beginning returns the beginning from which the deadline after the first n requests counts: the last one before the next
// request.
func (f *facts) beginning(n int) beginning {
	b := f.begins[0]
	for _, next := range f.begins[1:] {
		if n == len(f.requests) || next.since.Before(f.requests[n].sent) {
			b = next
		}
	}
	return b
}

// deadline returns the earliest and the latest possible value of the pod's deadline after the first n requests. The pod's
// deadline is the earliest deadline of any request.
func (f *facts) deadline(n int) (earliest, latest time.Time) {
	b := f.beginning(n)
	for i := range n {
		lo, hi := f.own(b, i)
		if lo.IsZero() {
			continue
		}
		if earliest.IsZero() || lo.Before(earliest) {
			earliest = lo
		}
		if latest.IsZero() || hi.Before(latest) {
			latest = hi
		}
	}
	return earliest, latest
}

// own returns the bounds of the deadline that request i alone sets; zero if the kubelet of this beginning cannot know the
// request. A request known when the termination begins counts from there. A later delete counts from the moment the kubelet
// first saw the deletionTimestamp, an override from the moment it is made. A deadline already in the past counts as now.
func (f *facts) own(b beginning, i int) (lo, hi time.Time) {
	r, grace := f.requests[i], seconds(f.requests[i].grace)
	before := r.sent.Before(b.since)
	if before && r.override {
		return time.Time{}, time.Time{}
	}
	lo, hi = b.lo.Add(grace), b.hi.Add(grace)
	if i == 0 || before || !r.told.After(b.lo) {
		return lo, hi
	}
	fromLo, fromHi := r.sent, r.told
	if r.api {
		fromLo, fromHi = b.seenLo, b.seenHi
	}
	lateLo, lateHi := later(fromLo.Add(grace), r.sent), later(fromHi.Add(grace), r.told)
	if r.sent.After(b.hi) {
		return lateLo, lateHi
	}
	// The request may have come before or after the beginning.
	if lateLo.Before(lo) {
		lo = lateLo
	}
	return lo, later(hi, lateHi)
}

// sentBy returns how many requests were sent by the given time.
func (f *facts) sentBy(at time.Time) int {
	n := 0
	for _, r := range f.requests {
		if !r.sent.After(at) {
			n++
		}
	}
	return n
}

// grace returns the smallest grace period among the first n requests, in seconds.
func (f *facts) grace(n int) int64 {
	least := f.requests[0].grace
	for _, r := range f.requests[:n] {
		least = min(least, r.grace)
	}
	return least
}

// shortenings returns the numbers (from 1) of the requests that moved the deadline of a running termination.
func (f *facts) shortenings() []int {
	var all []int
	for n := 2; n <= len(f.requests); n++ {
		b := f.beginning(n)
		if r := f.requests[n-1]; !r.told.After(b.lo) || r.sent.Before(b.since) {
			continue
		}
		before, _ := f.deadline(n - 1)
		if _, hi := f.own(b, n-1); hi.Before(before) {
			all = append(all, n)
		}
	}
	return all
}

// acts returns the latest time, without the level's slack, at which the worker can act on request n: it has been told and the
// termination has begun.
func (f *facts) acts(n int) time.Time {
	return later(f.requests[n-1].told, f.beginning(n).hi)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
