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
