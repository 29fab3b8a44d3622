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
