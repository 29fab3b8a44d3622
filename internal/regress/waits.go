// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/history"
)

// Waits receives the events recorded at an arm's place. Delays of the controls, and of queries to the runtime, belong to no
// pod: Waits stores them, and each scenario's history gets those of its time. All other events go to the histories at once.
type Waits struct {
	record *history.Recorder

	mu   sync.Mutex
	late []history.Event
}

var _ history.Sink = (*Waits)(nil)

// NewWaits returns a Waits that passes other events on to a recorder.
func NewWaits(record *history.Recorder) *Waits { return &Waits{record: record} }

// Add implements history.Sink.
func (w *Waits) Add(e history.Event) {
	if e.Kind != history.ControlLate && e.Kind != history.CRISlow {
		w.record.Add(e)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.late = append(w.late, e)
}

// Since returns the delays that ended after begin.
func (w *Waits) Since(begin time.Time) []history.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []history.Event
	for _, e := range w.late {
		if history.Lost([]history.Event{e})[0].To.After(begin) {
			all = append(all, e)
		}
	}
	return all
}

// Lost returns how much of the time since begin is covered by such delays.
func (w *Waits) Lost(begin time.Time) time.Duration {
	return history.Covered(history.Lost(w.Since(begin)), begin, time.Now())
}
