// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"math/rand/v2"
	"time"

	"github.com/kgrace/kgrace/internal/scenario"
)

const (
	quarter = 250 * time.Millisecond
	// odd keeps what happens off whole seconds, where timers of the kubelet and of the runtime expire.
	odd = 70 * time.Millisecond
	// near is the minimum distance of a request from its own deadline: the API server counts in whole seconds, and treats a
	// deadline less than one second away as past.
	near = 1250 * time.Millisecond
	// patience is how much longer than its last bound a pod is watched, for what disturbances cost.
	patience = 2 * time.Minute
)

// Pod draws the n-th pod of a lane: the same one for the same seed. Servers of HTTP hooks share a port of the node, so only one
// lane has them.
func Pod(id string, seed uint64, lane, n int) scenario.Scenario {
	d := drawn{Rand: rand.New(rand.NewPCG(seed, uint64(lane)<<32|uint64(n))), http: lane == 0}
	s := scenario.Scenario{ID: id, Family: "soak", Source: "generated", Fixed: "every rule holds", Stock: "unknown",
		Levels: []scenario.Level{scenario.LevelNode}, Pod: d.pod()}
	if d.oneIn(2) {
		s.Steps = d.hurried(s.Pod.Grace)
	} else {
		s.Steps = d.few(s.Pod.Grace)
	}
	s.Watch = map[scenario.Level]time.Duration{scenario.LevelNode: s.Longest() + patience}
	return s
}

// drawn is what one pod is drawn from.
type drawn struct {
	*rand.Rand
	http bool // an HTTP hook may be drawn
}

func (d *drawn) oneIn(n int) bool { return d.IntN(n) == 0 }

func (d *drawn) between(low, high int) int { return low + d.IntN(high-low+1) }

func (d *drawn) pod() scenario.Pod {
	p := scenario.Pod{Grace: int64(d.between(4, 24))}
	for _, name := range []string{"main", "second"}[:1+d.IntN(3)/2] {
		p.Containers = append(p.Containers, d.container(name, p.Grace))
	}
	if last := &p.Containers[len(p.Containers)-1]; len(p.Containers) > 1 && last.Hook == nil && d.oneIn(3) {
		// The first container lives on, so the pod is not over.
		last.Stubborn, last.ExitAfter, last.Ends = false, 0, time.Duration(d.between(8, 60))*quarter+odd
	}
	for _, name := range []string{"sidecar-1", "sidecar-2"}[:max(d.IntN(5)-2, 0)] {
		p.Sidecars = append(p.Sidecars, d.container(name, p.Grace))
	}
	return p
}

func (d *drawn) container(name string, grace int64) scenario.Container {
	c := scenario.Container{Name: name, Stubborn: d.oneIn(2)}
	if !c.Stubborn {
		c.ExitAfter = time.Duration(d.between(0, 4*int(grace)))*quarter + odd/2
	}
	quarters := func() time.Duration { return time.Duration(d.between(1, 4*int(grace)))*quarter + odd/3 }
	switch d.IntN(12) {
	case 0, 1:
		c.Hook = &scenario.Hook{Kind: scenario.HookExec, Takes: quarters()}
	case 2:
		c.Hook = &scenario.Hook{Kind: scenario.HookExec}
	case 3:
		c.Hook = &scenario.Hook{Kind: scenario.HookSleep, Takes: time.Duration(d.between(1, int(grace))) * time.Second}
	case 4:
		c.Hook = &scenario.Hook{Kind: scenario.HookExec, Takes: quarters(), Fails: true}
	case 5, 6:
		if d.http {
			d.http = false
			c.Hook = &scenario.Hook{Kind: scenario.HookHTTP}
		}
	}
	return c
}

// first draws the first request.
func (d *drawn) first(spec int64) scenario.Action {
	switch d.IntN(16) {
	case 0:
		return scenario.Force{}
	case 1:
		return scenario.DeletePlainly{}
	case 2:
		return scenario.Delete{Grace: -1}
	}
	return scenario.Delete{Grace: spec + int64(d.between(0, 12))}
}

// hurried draws one request after the other, each for less, until little is left.
func (d *drawn) hurried(spec int64) []scenario.Step {
	grace := spec + int64(d.between(8, 24))
	steps := []scenario.Step{{Do: scenario.Delete{Grace: grace}}}
	var at time.Duration
	for {
		at += time.Duration(d.between(150, 700)) * time.Millisecond
		if grace -= int64(d.between(1, 3)); time.Duration(grace)*time.Second-at < near {
			break
		}
		steps = append(steps, scenario.Step{After: at, Do: scenario.Delete{Grace: grace}})
	}
	if d.oneIn(3) {
		steps = append(steps, scenario.Step{After: at, Do: scenario.Force{}})
	}
	return steps
}

// few draws up to four requests, longer and shorter ones, while the pod is still being stopped.
func (d *drawn) few(spec int64) []scenario.Step {
	var steps []scenario.Step
	var at time.Duration
	least := int64(1 << 30)
	for range d.between(1, 4) {
		do := scenario.Action(scenario.Delete{Grace: int64(d.between(1, int(spec)+8))})
		switch {
		case len(steps) == 0:
			do = d.first(spec)
		case d.oneIn(4):
			do = scenario.Force{}
		}
		grace, _ := scenario.Asked(do, spec)
		if left := time.Duration(grace)*time.Second - at; len(steps) > 0 && left > 0 && left < near {
			break
		}
		steps = append(steps, scenario.Step{After: at, Do: do})
		least = min(least, grace)
		left := int(time.Duration(least)*time.Second-at) / int(quarter)
		if left < 6 || grace == 0 {
			break
		}
		at += time.Duration(d.between(0, min(left-6, 24)))*quarter + odd
	}
	return steps
}

// Shortenings returns how many requests ask for less than all before.
func Shortenings(s scenario.Scenario) (n int) {
	least := int64(-1)
	for _, step := range s.Steps {
		grace, ok := scenario.Asked(step.Do, s.Pod.Grace)
		switch {
		case !ok:
		case least < 0:
			least = grace
		case grace < least:
			least = grace
			n++
		}
	}
	return n
}
