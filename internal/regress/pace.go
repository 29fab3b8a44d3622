// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"
)

// Twenty pods that start or end at once would measure this machine and not the kubelet. The concurrency depends on the
// number of cores and on how long the first pod of the run took to start.
const (
	// perCore is the number of scenarios per core, over both arms, that may be under way on a machine that starts a pod within
	// quick. Most of the time a scenario only waits.
	perCore = 14
	quick   = 2 * time.Second
	// sideBySide is the minimum number of scenarios for both arms to run at once: with fewer, the second node costs more time
	// than it saves.
	sideBySide = 8
	// apart is the time between the first requests of two scenarios.
	apart = 350 * time.Millisecond
)

// pace controls the concurrency of a run. The first pod that starts determines it.
type pace struct {
	cores int
	// jobs is the user's setting; 0 derives the number from the machine's speed.
	jobs int
	// arms is the number of arms to run; oneByOne forbids running them at once.
	arms     int
	oneByOne bool

	once    sync.Once
	settled chan struct{} // closed when the following fields are known
	each    int           // scenarios under way on one arm
	both    bool          // the arms run side by side
	why     string

	starts chan struct{} // a semaphore for pods that may start at once
	allUp  chan struct{} // closed when the places of all arms are up or have failed
	mu     sync.Mutex
	up     int
	next   time.Time // earliest time of the next first request
}

func newPace(o Options) *pace {
	cores := runtime.NumCPU()
	return &pace{cores: cores, jobs: o.Jobs, arms: len(o.Arms), oneByOne: o.OneByOne, settled: make(chan struct{}),
		starts: make(chan struct{}, cores), allUp: make(chan struct{})}
}

// Jobs returns how many pods may be under way at once on a machine with so many cores on which the first pod took that long to
// start.
func Jobs(cores int, took time.Duration) int {
	return max(int(float64(perCore*cores)*min(1, quick.Seconds()/took.Seconds())), 1)
}

// settle sets the concurrency from the time that the first pod took to start. Only the first call has an effect.
func (p *pace) settle(took time.Duration) {
	p.once.Do(func() {
		all := p.jobs
		if all == 0 {
			all = Jobs(p.cores, took)
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

// placeUp records that the place of one more arm is up or has failed.
func (p *pace) placeUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.up++; p.up == p.arms {
		close(p.allUp)
	}
}

// calm waits until no other place is starting while an arm's scenarios run.
func (p *pace) calm(ctx context.Context) {
	if !p.both {
		return
	}
	select {
	case <-p.allUp:
	case <-ctx.Done():
	}
}

// start waits until one more pod may start; the caller calls done when that pod runs.
func (p *pace) start(ctx context.Context) (done func(), err error) {
	select {
	case p.starts <- struct{}{}:
		return func() { <-p.starts }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// turn returns the time at which a scenario whose pod runs may send its first request: not before from, and apart from
// those of other scenarios.
func (p *pace) turn(from time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next.After(from) {
		from = p.next
	}
	p.next = from.Add(apart)
	return from
}
