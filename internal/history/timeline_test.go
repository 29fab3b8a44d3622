// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package history

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTimeline(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	code := int32(137)
	h := History{Events: []Event{
		{At: start.Add(-time.Second), Kind: Armed},
		{At: start, Kind: APIDelete, Grace: Seconds(5)},
		{At: start.Add(5 * time.Second), Kind: ContainerExit, Container: "main", ExitCode: &code},
		{At: start.Add(100 * time.Millisecond), Kind: CRICall, Call: "StopContainer", Container: "main", Grace: Seconds(5)},
		{At: start.Add(time.Second), Kind: CRICall, Call: "ContainerStatus"},
	}}
	want := `  -1.000  armed
   0.000  DELETE (5 s)
   0.100  runtime: StopContainer [main] (5 s)
   5.000  container ended with 137 [main]
`
	if diff := cmp.Diff(want, h.Timeline()); diff != "" {
		t.Error(diff)
	}
}
