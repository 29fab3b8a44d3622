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
	"fmt"
	"sync"
	"time"
)

const (
	// beat is how often the pulse is taken.
	beat = 50 * time.Millisecond
	// standstill is how late a beat may come. The judges allow a real node 1.5 s; a machine that leaves a waiting program
	// without CPU for a second has used that up before the kubelet did anything.
	standstill = time.Second
)

// pulse notices that this machine stood still: a bound that it then misses says nothing about the kubelet, so the
// scenarios of that time are given up, green or not.
type pulse struct {
	mu    sync.Mutex
	worst time.Duration
	stops []stop
}

// stop is a beat that came too late.
type stop struct {
	at   time.Time // when it was due
	late time.Duration
}

// take takes the pulse until ctx ends.
func (p *pulse) take(ctx context.Context) {
	for {
		due := time.Now().Add(beat)
		if until(ctx, due) != nil {
			return
		}
		p.note(due, time.Since(due))
	}
}

func (p *pulse) note(due time.Time, late time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.worst = max(p.worst, late)
	if late > standstill {
		p.stops = append(p.stops, stop{due, late})
	}
}

// longest is by how much the latest beat was late.
func (p *pulse) longest() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.worst
}

// since says whether the machine stood still after a moment.
func (p *pulse) since(begin time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.stops {
		if s.at.Add(s.late).After(begin) {
			return stoodStill("this machine", s.late)
		}
	}
	return nil
}

func stoodStill(what string, late time.Duration) error {
	return fmt.Errorf("%s stood still for %.1f s, which uses the allowed slack up; give this machine less to do, or run the arms --one-by-one",
		what, late.Seconds())
}

// stoodStill says whether this machine, or the node, stood still after a moment.
func (p *play) stoodStill(begin time.Time) error {
	if place, ok := p.node.(paced); ok {
		if late := place.StoodStill(begin); late > standstill {
			return stoodStill("node "+p.node.NodeName(), late)
		}
	}
	return p.pulse.since(begin)
}
