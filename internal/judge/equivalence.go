// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Difference is the first moment at which two histories of one scenario differ, with the events that only one of them has.
type Difference struct {
	// At is the time of the difference; After is the same, counted from when the scenario was armed.
	At    time.Time
	After time.Duration
	// Stock and Fixed describe the events that only that arm has; nil if there are none.
	Stock, Fixed []string
	// names are the display names of the two histories.
	names [2]string
}

func (d *Difference) String() string {
	stock, fixed := slices.Clone(d.Stock), slices.Clone(d.Fixed)
	for i := range min(len(stock), len(fixed)) {
		stock[i], fixed[i] = apart(stock[i], fixed[i])
	}
	side := func(name string, all []string) string {
		if len(all) == 0 {
			return name + " has nothing more"
		}
		for i, one := range all {
			if len(one) > wordy {
				all[i] = one[:wordy] + "…"
			}
		}
		return fmt.Sprintf("%s has [%s]", name, strings.Join(all, "], ["))
	}
	return fmt.Sprintf("at %.3f s %s, %s", d.After.Seconds(), side(d.names[0], stock), side(d.names[1], fixed))
}

// wordy is the maximum length in bytes of one displayed event.
const wordy = 240

// apart shortens the common prefix of two long texts.
func apart(a, b string) (string, string) {
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	const head, context = 60, 60
	if same <= head+context {
		return a, b
	}
	return a[:head] + "…" + a[same-context:], b[:head] + "…" + b[same-context:]
}

// Compare returns the first difference between the two arms in virtual time; nil if there is none. It compares everything in
// the histories: API requests and writes, full statuses, runtime calls with their timeouts and results, the containers' output
// and exits, the kubelet's events, and the time of each.
//
// It ignores only what also differs between two runs of one arm: call numbers and UIDs; the order of events that happen at the
// same time on different goroutines; and intermediate statuses at one time, because the kubelet's status manager may skip them
// but always writes the last one. It therefore compares time by time, as a set of events with the last status only. The order
// that matters within one time is part of the event text: a call that stops something names the containers that are alive at
// that point.
//
// Compare looks only at events before until; the zero time means all events.
func Compare(stock, fixed history.History, until time.Time) *Difference {
	a, b := moments(stock, until), moments(fixed, until)
	for i := range max(len(a), len(b)) {
		var one, other moment
		switch {
		case i == len(b) || i < len(a) && a[i].at.Before(b[i].at):
			one, other = a[i], moment{at: a[i].at}
		case i == len(a) || b[i].at.Before(a[i].at):
			one, other = moment{at: b[i].at}, b[i]
		default:
			one, other = a[i], b[i]
		}
		if !slices.Equal(one.words, other.words) {
			return &Difference{At: one.at, After: one.at.Sub(armed(stock)), names: names(stock, fixed),
				Stock: without(one.words, other.words), Fixed: without(other.words, one.words)}
		}
	}
	return nil
}

func names(stock, fixed history.History) [2]string {
	if stock.Arm == fixed.Arm {
		return [2]string{"one run of " + stock.Arm, "another"}
	}
	return [2]string{stock.Arm, fixed.Arm}
}

// AsStock judges R12 by both histories of a scenario: whether fixed did what stock did, up to the point from which it may
// differ.
func AsStock(stock, fixed history.History) Finding {
	for _, h := range []history.History{stock, fixed} {
		if !slices.ContainsFunc(h.Events, func(e history.Event) bool { return e.Kind == history.Finished }) {
			return Finding{Rule: scenario.Kept, Outcome: scenario.Invalid, Why: fmt.Sprintf("the observation of %s never came to its end", h.Arm)}
		}
	}
	d, by := Same(stock, fixed, May())
	found := Finding{Rule: scenario.Kept, Outcome: scenario.Held, Why: "as stock, call by call"}
	switch {
	case d != nil:
		found.Outcome, found.At, found.Why = scenario.Broken, d.At, "not as stock: "+d.String()
	case by != nil:
		found.Why += ", up to where it may differ: " + by.Why
	}
	return found
}

// moment is the sorted list of event texts of one time.
type moment struct {
	at    time.Time
	words []string
}

// without returns the multiset difference of two sorted lists.
func without(all, other []string) (left []string) {
	for _, word := range all {
		i, found := slices.BinarySearch(other, word)
		if !found {
			left = append(left, word)
			continue
		}
		other = slices.Delete(slices.Clone(other), i, i+1)
	}
	return left
}

func armed(h history.History) time.Time {
	for _, e := range h.Events {
		if e.Kind == history.Armed {
			return e.At
		}
	}
	return time.Time{}
}
