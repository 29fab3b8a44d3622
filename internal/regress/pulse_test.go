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

package regress

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestPulse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pulse
		ctx, cancel := context.WithCancel(t.Context())
		go p.take(ctx)
		begin := time.Now()
		time.Sleep(10 * time.Second)
		if p.longest() != 0 || p.since(begin) != nil {
			t.Errorf("a machine that never stood still: %v, %v", p.longest(), p.since(begin))
		}
		p.note(time.Now(), 900*time.Millisecond)
		if p.longest() != 900*time.Millisecond || p.since(begin) != nil {
			t.Errorf("a late beat within bounds: %v, %v", p.longest(), p.since(begin))
		}
		p.note(time.Now(), 1200*time.Millisecond)
		if err := p.since(begin); err == nil || !strings.Contains(err.Error(), "stood still for 1.2 s") {
			t.Errorf("got %v", err)
		}
		if err := p.since(time.Now().Add(2 * time.Second)); err != nil {
			t.Errorf("a scenario that began later: %v", err)
		}
		cancel()
		synctest.Wait()
	})
}
