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
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []time.Duration
		stop := Heartbeat(time.Now(), func(running time.Duration) { got = append(got, running) })
		time.Sleep(2*HeartbeatInterval + time.Second) // in the bubble, as the next one
		stop()
		time.Sleep(HeartbeatInterval)
		if want := []time.Duration{HeartbeatInterval, 2 * HeartbeatInterval}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}
