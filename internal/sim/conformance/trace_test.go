// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/history"
)

// A call may return some milliseconds before the time that the runtime gives for the exit.
func TestDownAtReturn(t *testing.T) {
	for after, want := range map[time.Duration]string{
		0: "down", 50 * time.Millisecond: "down", 200 * time.Millisecond: "up",
	} {
		log, err := history.NewRecorder().Open(history.Header{Pod: "stop"})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		back := begin.Add(time.Second)
		log.Add(history.Event{Kind: history.ContainerExit, At: back.Add(after), Container: mainContainer})
		p := player{Stage: Stage{Log: log}, sequence: Sequence{Steps: []Step{stop(0, 1)}}, results: []result{{0, "OK", back}}}
		if trace := p.trace(begin, "gone"); !slices.Contains(trace.Lines, " 1 s  step 0, stop(1): OK, container "+want) {
			t.Errorf("exit %s after the return: expected %s:\n%s", after, want, trace)
		}
	}
}
