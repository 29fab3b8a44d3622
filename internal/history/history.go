// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package history

import (
	"cmp"
	"slices"
	"time"
)

// Header identifies the run that a history belongs to.
type Header struct {
	Scenario string `json:"scenario"`
	// Arm is stock or fixed; Level unit, sim, node or kind; Minor as in versions.yaml (v1.37).
	Arm   string `json:"arm"`
	Level string `json:"level"`
	Minor string `json:"minor"`
	// Pod is the name of the scenario's pod (the first one if it has several).
	Pod string `json:"pod,omitempty"`
	// Second is the reason why the first run was inconclusive, if the scenario was run a second time.
	Second string `json:"second,omitempty"`
	// Versions maps the programs of the run (kubelet, containerd, runc, ...) to their versions.
	Versions map[string]string `json:"versions,omitempty"`
}

// History is the record of one scenario on one arm.
type History struct {
	Header
	// Events are in the order of recording. Their times need not ascend: a container's own line and a container's exit carry
	// the time at which they happened and are recorded a little later.
	Events []Event
}

// ByTime returns the events in the order of their times. Events at the same time keep the order of recording.
func (h History) ByTime() []Event {
	events := slices.Clone(h.Events)
	slices.SortStableFunc(events, func(a, b Event) int { return a.At.Compare(b.At) })
	return events
}

// Select returns the events of one kind, in the order of their times.
func (h History) Select(kind Kind) []Event {
	var events []Event
	for _, e := range h.Events {
		if e.Kind == kind {
			events = append(events, e)
		}
	}
	slices.SortStableFunc(events, func(a, b Event) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Seq, b.Seq))
	})
	return events
}

// Sink receives events. Add never blocks for long, never fails and may be called from any goroutine. A Sink numbers the events
// itself and ignores the argument's Seq.
type Sink interface {
	Add(Event)
}

// SinkFunc adapts a function to a Sink.
type SinkFunc func(Event)

// Add implements Sink.
func (f SinkFunc) Add(e Event) { f(e) }

// Seconds returns a pointer to a whole number of seconds, for Event.Grace.
func Seconds(n int64) *int64 { return &n }

// Time returns a pointer to t, for Event.Deletion; nil for the zero time.
func Time(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
