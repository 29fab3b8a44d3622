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

package stream

import (
	"context"
	"sync"
	"time"
)

// beat is how often a writer's pulse is taken; one that comes later than tells is told of.
const (
	beat  = 50 * time.Millisecond
	tells = 200 * time.Millisecond
)

// Pulse takes the pulse of this process until ctx ends: a beat that comes late tells that the machine, or the part of it that
// this process is given, left a waiting program without CPU. It is written down where it is late enough to matter to anyone.
func (w *Writer) Pulse(ctx context.Context) {
	timer := time.NewTimer(beat)
	defer timer.Stop()
	for {
		due := time.Now().Add(beat)
		timer.Reset(beat)
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		if late := time.Since(due); late >= tells {
			_ = w.put(line{Late: &Late{Due: due, By: late}})
		}
	}
}

// Late is a beat that came late.
type Late struct {
	Due time.Time     `json:"due"`
	By  time.Duration `json:"by"` // nanoseconds
}

// lates are those that a follower has seen.
type lates struct {
	mu  sync.Mutex
	all []Late
}

func (l *lates) add(one Late) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, one)
}

// Latest is by how much the latest beat after a moment was late; 0 if none was worth telling.
func (f *Follower) Latest(after time.Time) time.Duration {
	f.lates.mu.Lock()
	defer f.lates.mu.Unlock()
	var most time.Duration
	for _, one := range f.lates.all {
		if one.Due.Add(one.By).After(after) {
			most = max(most, one.By)
		}
	}
	return most
}
