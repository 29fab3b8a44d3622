// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"time"

	"github.com/kgrace/kgrace/internal/history"
)

const (
	// interval is the period of the timer.
	interval = 50 * time.Millisecond
	// tells is the shortest delay that is recorded. On an idle machine timers fire about a millisecond late.
	tells = 10 * time.Millisecond
)

// DetectStalls waits for a timer in a loop until ctx ends, and records when it was late.
func DetectStalls(ctx context.Context, sink history.Sink) {
	timer := time.NewTimer(interval)
	defer timer.Stop()
	for {
		due := time.Now().Add(interval)
		timer.Reset(interval)
		select {
		case <-timer.C:
			record(sink, due, time.Since(due))
		case <-ctx.Done():
			return
		}
	}
}

// record records a delay if it is long enough to matter.
func record(sink history.Sink, due time.Time, late time.Duration) {
	if late >= tells {
		sink.Add(history.Event{Kind: history.ControlLate, At: due, Late: late.Seconds()})
	}
}
