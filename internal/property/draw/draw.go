// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package draw generates random scenarios with rapid, which can shrink them. It is separate from package property so that the
// kgrace command, which only runs the suite, does not get rapid's flags.
package draw

import (
	"time"

	"pgregory.net/rapid"

	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/scenario"
)

const (
	longest = 40 // seconds of grace; each simulated second costs time, and stock runs for the whole first grace
	quarter = 250 * time.Millisecond
	// odd keeps requests off whole seconds, where timers of the kubelet and of the runtime expire: two events at one time have
	// no order.
	odd = 70 * time.Millisecond
	// near is the minimum distance of a request from its own deadline: the API server counts in whole seconds, and treats a
	// deadline less than one second away as past.
	near = 1250 * time.Millisecond
)

// Scenarios draws scenarios of one pod: containers and sidecars that are stubborn or exit some time after TERM, preStop hooks
// of every kind, and up to four requests (longer and shorter deletes, forced ones, evictions), occasionally with a fault of the
// runtime's stop call. Small draws are simple scenarios, so rapid shrinks towards them. Each has the given id.
func Scenarios(id string) *rapid.Generator[scenario.Scenario] {
	return rapid.Custom(func(t *rapid.T) scenario.Scenario {
		s := scenario.Scenario{ID: id, Family: "random", Source: "generated", Fixed: "every rule holds", Stock: "unknown",
			Levels: []scenario.Level{scenario.LevelSim},
			Not:    map[scenario.Level]string{scenario.LevelNode: "generated", scenario.LevelKind: "generated"}}
		s.Pod = pod(t)
		s.Steps = steps(t, s.Pod.Grace)
		s.Faults = faults(t, s)
		for _, rule := range property.Rules(s) {
			s.Expect = append(s.Expect, scenario.Expectation{Rule: rule, Stock: scenario.Held, Fixed: scenario.Held})
		}
		return s
	})
}

func pod(t *rapid.T) scenario.Pod {
	p := scenario.Pod{Grace: rapid.Int64Range(1, longest).Draw(t, "spec grace")}
	http := false
	all := func(label string, names []string) (containers []scenario.Container) {
		for _, name := range names {
			c := scenario.Container{Name: name}
			if early := rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3}).Draw(t, label+" ends by itself"); early == 0 {
				c.Stubborn = true
			} else {
				c.ExitAfter = time.Duration(rapid.IntRange(0, 4*int(p.Grace)).Draw(t, "quarters after TERM"))*quarter + odd/2
			}
			c.Hook = hook(t, p.Grace, &http)
			containers = append(containers, c)
		}
		return containers
	}
	p.Containers = all("container", []string{"main", "second"}[:rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "containers")])
	p.Sidecars = all("sidecar", []string{"sidecar-1", "sidecar-2"}[:rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "sidecars")])
	return p
}

// hook draws a hook or none. Servers of HTTP hooks share a port, so there is at most one.
func hook(t *rapid.T, grace int64, http *bool) *scenario.Hook {
	switch rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3, 4}).Draw(t, "hook") {
	case 1:
		return &scenario.Hook{Kind: scenario.HookExec, Takes: time.Duration(rapid.IntRange(1, 4*int(grace)).Draw(t, "quarters"))*quarter + odd/3}
	case 2:
		return &scenario.Hook{Kind: scenario.HookExec}
	case 3:
		return &scenario.Hook{Kind: scenario.HookSleep, Takes: time.Duration(rapid.Int64Range(1, grace).Draw(t, "sleep")) * time.Second}
	case 4:
		if !*http {
			*http = true
			return &scenario.Hook{Kind: scenario.HookHTTP}
		}
	}
	return nil
}

// steps draws the requests. All but the first come while the pod is still being stopped; later ones would have no effect. A
// force delete removes the pod from the API, so no request can follow it.
func steps(t *rapid.T, spec int64) (all []scenario.Step) {
	var at time.Duration
	least := int64(longest) * 2
	count := rapid.SampledFrom([]int{1, 1, 2, 2, 2, 3, 3, 4}).Draw(t, "requests")
	for range count {
		do := action(t, len(all) == 0)
		grace, _ := scenario.Asked(do, spec)
		if left := time.Duration(grace)*time.Second - at; len(all) > 0 && left > 0 && left < near {
			break
		}
		all = append(all, scenario.Step{After: at, Do: do})
		least = min(least, grace)
		left := int(time.Duration(least)*time.Second-at) / int(quarter)
		if left < 6 || grace == 0 {
			break
		}
		at += time.Duration(rapid.IntRange(0, min(left-6, 60)).Draw(t, "quarters later"))*quarter + odd
	}
	return all
}

// action draws a request. A negative grace, which the API server changes to 1, only comes first: the judge checks what the
// first delete became.
func action(t *rapid.T, first bool) scenario.Action {
	switch rapid.SampledFrom([]int{0, 0, 0, 0, 0, 1, 1, 2, 3, 4}).Draw(t, "request") {
	case 1:
		return scenario.Force{}
	case 2:
		return scenario.Evict{Hard: true}
	case 3:
		return scenario.Evict{Max: rapid.Int64Range(1, longest).Draw(t, "soft maximum")}
	case 4:
		if first {
			return scenario.Delete{Grace: -1}
		}
	}
	return scenario.Delete{Grace: rapid.Int64Range(1, longest).Draw(t, "grace")}
}

// faults draws no fault, or one of the stop call. It draws a hanging call only if a shorter request can end the pod: otherwise
// the pod ends with the call's own time limit, minutes later.
func faults(t *rapid.T, s scenario.Scenario) []scenario.Fault {
	kinds := []int{0, 0, 0, 0, 0, 0, 0, 1, 2}
	if property.Shortens(s) && len(s.Pod.All()) == 1 && s.Pod.Containers[0].Hook == nil {
		kinds = append(kinds, 3)
	}
	f := scenario.Fault{Call: "StopContainer"}
	switch rapid.SampledFrom(kinds).Draw(t, "fault") {
	case 0:
		return nil
	case 1:
		f.Fails, f.For = true, time.Duration(rapid.IntRange(1, 24).Draw(t, "quarters of refusal"))*quarter+odd/7
	case 2:
		f.Delay, f.Times = time.Duration(rapid.IntRange(1, 8).Draw(t, "quarters of delay"))*quarter+odd/7, 1
	case 3:
		f.Hangs, f.Times = true, 1
	}
	return []scenario.Fault{f}
}
