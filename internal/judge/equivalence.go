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

package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Difference is the first moment at which two histories of one scenario are not the same, and what only one of them has there.
type Difference struct {
	// At is the moment; After is the same counted from when the scenario was armed.
	At    time.Time
	After time.Duration
	// Stock and Fixed are what only that arm has, in words; nil where it has nothing that the other lacks.
	Stock, Fixed []string
	// names are what the two are called.
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

// wordy is how many bytes of one thing are shown.
const wordy = 240

// apart leaves out the middle of what two long texts share at their beginning.
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

// Compare returns the first difference between what the two arms did in virtual time; nil if there is none. Everything that is
// recorded counts: what was asked of the API and written there, statuses whole, runtime calls with their timeouts and answers,
// the containers' own lines, their ends, the kubelet's events, and the moment of each.
//
// Two runs of one arm differ in a few things already, and in nothing else are these looked past: numbers of calls and UIDs are
// drawn anew in each run; things that happen in one moment on different goroutines have no order; and of several statuses
// of one moment the kubelet's status manager writes as many as it comes to, but always the last. So the moments are compared
// one by one, each as the set of what happened in it, with the last status alone. The order that matters within a moment is in
// the words: a call that stops something, or runs a command, says which containers of the pod live when it is made.
//
// Only what happened before until is compared; the zero time is to the end.
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

// AsStock judges R12 by both histories of a scenario: whether fixed did what stock did, up to where it may do otherwise.
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

// moment is everything that happened at one time, in words, sorted.
type moment struct {
	at    time.Time
	words []string
}

// without takes from one sorted list what another has, as often as it has it.
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
