// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"sync"
	"time"
)

// HeartbeatInterval is the interval between two lines about a long step.
const HeartbeatInterval = 30 * time.Second

// Heartbeat calls say every HeartbeatInterval, with the time since begin, until stop is called. stop returns after the last call.
func Heartbeat(begin time.Time, say func(running time.Duration)) (stop func()) {
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(HeartbeatInterval)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				say(time.Since(begin).Round(time.Second))
			}
		}
	})
	return func() { close(done); wait.Wait() }
}
