// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import "slices"

// dead returns when the pods died, in order.
func (w Wave) dead() []float64 {
	var all []float64
	for _, l := range w.Lives {
		if l.Dead != nil {
			all = append(all, *l.Dead)
		}
	}
	slices.Sort(all)
	return all
}

// First, Median and Last return when that pod died; ok is false if none did.
func (w Wave) First() (at float64, ok bool) { return nth(w.dead(), 0) }

// Median is the middle of the pods that died.
func (w Wave) Median() (at float64, ok bool) {
	all := w.dead()
	return nth(all, len(all)/2)
}

// Last is the last of the pods that died.
func (w Wave) Last() (at float64, ok bool) {
	all := w.dead()
	return nth(all, len(all)-1)
}

func nth(all []float64, i int) (float64, bool) {
	if len(all) == 0 {
		return 0, false
	}
	return all[i], true
}

// alive returns the pods that did not die while they were watched.
func (w Wave) alive() (names []string) {
	for _, l := range w.Lives {
		if l.Dead == nil {
			names = append(names, l.Pod)
		}
	}
	return names
}

// Client returns how long the client's deciding requests took, from the first one sent to the last one answered.
func (w Wave) Client() float64 {
	first, last := 0.0, 0.0
	seen := false
	for _, l := range w.Lives {
		if len(l.Sent) == 0 || len(l.Answered) < len(l.Sent) {
			continue
		}
		n := len(l.Sent) - 1
		if !seen || l.Sent[n] < first {
			first = l.Sent[n]
		}
		if !seen || l.Answered[n] > last {
			last = l.Answered[n]
		}
		seen = true
	}
	return round(last - first)
}

// asked returns the first stop call that a deciding request led to, and when that request was sent.
func (w Wave) asked() (first Asked, from float64, ok bool) {
	for _, l := range w.Lives {
		if len(l.Sent) == 0 {
			continue
		}
		sent := l.Sent[len(l.Sent)-1]
		for _, s := range l.Stops {
			if s.At < sent || ok && s.At >= from+first.After {
				continue
			}
			first, from, ok = Asked{Pod: l.Pod, After: round(s.At - sent), Timeout: s.Timeout}, sent, true
			if l.Saw != nil {
				saw := round(max(*l.Saw-sent, 0))
				first.Saw = &saw
			}
		}
	}
	return first, from, ok
}

// median returns the middle value, the mean of the two middle ones of an even number.
func median(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	all = slices.Sorted(slices.Values(all))
	middle := len(all) / 2
	if len(all)%2 == 0 {
		return (all[middle-1] + all[middle]) / 2
	}
	return all[middle]
}
