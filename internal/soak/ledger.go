// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"slices"
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/history"
)

// Disturbance is one that was carried out.
type Disturbance struct {
	Kind Kind      `json:"kind"`
	Call string    `json:"call,omitempty"`
	From time.Time `json:"from"`
	// To is when it was over; zero while it goes on.
	To  time.Time `json:"to,omitzero"`
	Err string    `json:"error,omitempty"`
	// Pods is how many pods that were being ended it hit.
	Pods int `json:"pods"`
}

// Ledger is the list of the disturbances of a run. It is safe for concurrent use.
type Ledger struct {
	mu  sync.Mutex
	all []*Disturbance
}

// begin writes down a disturbance that begins now; the returned function, that it is over.
func (l *Ledger) begin(p Plan) (over func(error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := &Disturbance{Kind: p.Kind, Call: p.Call, From: now()}
	l.all = append(l.all, d)
	return func(err error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		d.To = now()
		if err != nil {
			d.Err = err.Error()
		}
	}
}

// now is the time as a history has it.
func now() time.Time { return time.Now().Round(0).UTC() }

// All returns the disturbances so far, in order.
func (l *Ledger) All() []Disturbance {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []Disturbance
	for _, d := range l.all {
		all = append(all, *d)
	}
	return all
}

// Between returns the disturbances that still had an effect after from, and began before to.
func (l *Ledger) Between(from, to time.Time) []Disturbance {
	return slices.DeleteFunc(l.All(), func(d Disturbance) bool { return d.From.After(to) || d.last(to).Before(from) })
}

// hit counts a pod for the disturbances that hit it.
func (l *Ledger) hit(all []Disturbance) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.all {
		for _, one := range all {
			if d.From.Equal(one.From) {
				d.Pods++
			}
		}
	}
}

// lost returns how much of the time since begin disturbances have cost.
func (l *Ledger) lost(begin time.Time) time.Duration {
	at := time.Now()
	var spans []history.Span
	for _, d := range l.Between(begin, at) {
		if d.stalls() {
			spans = append(spans, d.span(at))
		}
	}
	return history.Covered(spans, begin, at)
}
