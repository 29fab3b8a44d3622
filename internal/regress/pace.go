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
	"runtime"
	"sync"
	"time"
)

// Twenty pods that start or end in the same moment would measure this machine and not the kubelet. How much happens at once
// follows from its cores and from how long it took to start the first pod of the run.
const (
	// perCore is how many scenarios may be under way for each core, over both arms, on a machine that starts a pod within quick.
	// Most of the time a scenario only waits.
	perCore = 14
	quick   = 2 * time.Second
	// sideBySide is how many there must be for both arms to run at once: with fewer, the second node costs more than it saves.
	sideBySide = 8
	// apart is the time between the first requests of two scenarios.
	apart = 350 * time.Millisecond
)

// pace is how fast a run goes. It is settled by the first pod that starts.
type pace struct {
	cores int
	// jobs is what the user asks for; 0 leaves it to the machine.
	jobs int
	// arms is how many arms want to run, oneByOne that they must not do so at once.
	arms     int
	oneByOne bool

	once    sync.Once
	settled chan struct{} // closed when what follows is known
	each    int           // scenarios under way on one arm
	both    bool          // the arms run side by side
	why     string

	starts chan struct{} // has as many places as pods may start at once
	allUp  chan struct{} // closed when the places of all arms are up, or could not be brought up
	mu     sync.Mutex
	up     int
	next   time.Time // when the next first request may be sent
}

func newPace(o Options) *pace {
	cores := runtime.NumCPU()
	return &pace{cores: cores, jobs: o.Jobs, arms: len(o.Arms), oneByOne: o.OneByOne, settled: make(chan struct{}),
		starts: make(chan struct{}, cores), allUp: make(chan struct{})}
}

// settle decides how much runs at once, given how long the first pod took to start. Only the first call counts.
func (p *pace) settle(took time.Duration) {
	p.once.Do(func() {
		all := p.jobs
		if all == 0 {
			all = int(float64(perCore*p.cores) * min(1, quick.Seconds()/took.Seconds()))
		}
		all = max(all, 1)
		p.both = p.arms > 1 && !p.oneByOne && all >= sideBySide
		p.each = all
		if p.both {
			p.each = max(all/p.arms, 1)
		}
		order := "one arm"
		switch {
		case p.both:
			order = "both arms side by side"
		case p.arms > 1:
			order = "one arm after the other"
		}
		p.why = fmt.Sprintf("the first pod took %.1f s to start, with %d cores: %s, at most %d scenarios at once on each",
			took.Seconds(), p.cores, order, p.each)
		close(p.settled)
	})
}

// placeUp notes that the place of one more arm is up, or could not be brought up.
func (p *pace) placeUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.up++; p.up == p.arms {
		close(p.allUp)
	}
}

// calm waits until no place is being brought up beside an arm's scenarios.
func (p *pace) calm(ctx context.Context) {
	if !p.both {
		return
	}
	select {
	case <-p.allUp:
	case <-ctx.Done():
	}
}

// start waits until one more pod may start; what it returns must be called when that runs.
func (p *pace) start(ctx context.Context) (done func(), err error) {
	select {
	case p.starts <- struct{}{}:
		return func() { <-p.starts }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// turn returns when a scenario whose pod runs may send its first request: not before a moment, and not together with another.
func (p *pace) turn(from time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next.After(from) {
		from = p.next
	}
	p.next = from.Add(apart)
	return from
}
