// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package history

import (
	"testing"
	"time"
)

func TestCoveredCountsOnce(t *testing.T) {
	at := func(s float64) time.Time { return time.Unix(0, int64(s*1e9)) }
	late := func(due, by float64) Event { return Event{Kind: ControlLate, At: at(due), Late: by} }
	events := []Event{late(5, 2), late(1, 2), late(2, .5), {Kind: CRICall, At: at(4)}, late(2.5, 1), late(9, 3)}
	for _, c := range []struct{ from, to, want float64 }{
		{0, 20, 7.5},   // 1 to 3.5, 5 to 7, 9 to 12
		{3, 6, 1.5},    // 3 to 3.5, 5 to 6
		{10, 10.5, .5}, // inside of one
		{13, 20, 0},
		{6, 6, 0},
	} {
		if got := Covered(Lost(events), at(c.from), at(c.to)).Seconds(); got < c.want-1e-6 || got > c.want+1e-6 {
			t.Errorf("from %v to %v: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}
