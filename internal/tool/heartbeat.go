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
