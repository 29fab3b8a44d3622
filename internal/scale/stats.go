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

// most is the longest timeout of a stop call that the deciding request can lead to, in seconds.
func (w Wave) most() int64 {
	if w.Part == Shorten {
		return Shorter
	}
	return stocksLeast
}

// asked returns the first stop call that a deciding request led to, and when that request was sent.
func (w Wave) asked() (first Asked, from float64, ok bool) {
	for _, l := range w.Lives {
		if len(l.Sent) == 0 {
			continue
		}
		sent := l.Sent[len(l.Sent)-1]
		for _, s := range l.Stops {
			if s.At < sent || s.Timeout > w.most() || ok && s.At >= from+first.After {
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

// slowest returns the pod for which something took longest after the sync loop had read its request; never is longest. lost is how
// much of a time the machine was late.
func (w Wave) slowest(lost func(from, to float64) float64, when func(Life) *float64) (slowest *Since) {
	for _, l := range w.Lives {
		if l.Read == nil {
			continue
		}
		this := &Since{Pod: l.Pod}
		if at := when(l); at != nil {
			after := round(*at - *l.Read)
			this.After, this.Lost = &after, lost(*l.Read, *at)
		}
		if slowest == nil || slowest.After != nil && (this.After == nil || *this.After > *slowest.After) {
			slowest = this
		}
	}
	return slowest
}

// LastRead returns when the sync loop read the last deciding request; ok is false if the log does not tell of all of them.
func (w Wave) LastRead() (last float64, ok bool) {
	for _, l := range w.Lives {
		if l.Read == nil {
			return 0, false
		}
		last = max(last, *l.Read)
	}
	return last, len(w.Lives) > 0
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
