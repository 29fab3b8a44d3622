// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []time.Duration
		stop := Heartbeat(time.Now(), func(running time.Duration) { got = append(got, running) })
		time.Sleep(2*HeartbeatInterval + time.Second) // virtual time (synctest), as the next one: nothing waits
		stop()
		time.Sleep(HeartbeatInterval)
		if want := []time.Duration{HeartbeatInterval, 2 * HeartbeatInterval}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}
