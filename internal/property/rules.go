// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package property describes runs of random scenarios: their configuration, the rules that apply, and their results. Package
// draw generates the scenarios; the suite in test/regression/sim plays them at the sim level, with one kubelet in one bubble
// for each; the judges of the catalogue judge them, unchanged.
//
// There are two kinds. For kind Requests the fixed arm must hold every rule that applies to a scenario. Stock breaks rules: a
// run in which it does not shows that the scenarios or the judges detect nothing. For each broken rule one scenario is shrunk
// and written as a row for the catalogue, and its history is kept. Not covered are static pods, restarts, cut connections,
// probes and pulls, which have rows in the catalogue.
//
// For kind Unhurried no request asks for an earlier end, whatever else goes wrong, and the fixed arm must do what stock does,
// call by call and time by time (judge.Compare), except for what judge.May lists. Not covered are static pods, orphans,
// finalizers and cut connections.
package property

import (
	"slices"

	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/sim"
)

// Rules returns the rules that can be judged in a generated scenario. Some promise what no kubelet can keep during a fault of
// the runtime, so they are left out if there is one.
func Rules(s scenario.Scenario) []scenario.Rule {
	evicted, leaves := false, s.Leaves()
	for _, step := range s.Steps {
		_, ok := step.Do.(scenario.Evict)
		evicted = evicted || ok
	}
	var refuses, hangs, slow bool
	for _, f := range s.Faults {
		refuses, hangs, slow = refuses || f.Fails, hangs || f.Hangs, slow || f.Delay > 0
	}
	disturbed := refuses || hangs || slow
	var waits, http, stubborn, zero bool
	for i, c := range s.Pod.All() {
		waits = waits || c.Hook != nil || i < len(s.Pod.Sidecars)
		http = http || c.Hook != nil && c.Hook.Kind == scenario.HookHTTP
		stubborn = stubborn || c.Stubborn
	}
	shortenings, late := 0, false // late: an eviction that is not the first request
	least := int64(-1)
	for i, step := range s.Steps {
		grace, _ := scenario.Asked(step.Do, s.Pod.Grace)
		if i > 0 && grace < least {
			shortenings++
		}
		if i == 0 || grace < least {
			least = grace
		}
		zero = zero || grace == 0
		_, evicts := step.Do.(scenario.Evict)
		late = late || i > 0 && evicts
	}
	rules := []scenario.Rule{scenario.OneTerm, scenario.RuntimeCalls}
	add := func(ok bool, rule scenario.Rule) {
		if ok {
			rules = append(rules, rule)
		}
	}
	// With a slow or refusing runtime, the runtime decides when a container dies.
	add(!disturbed, scenario.Deadline)
	add(!disturbed || refuses, scenario.OnlyShorter)
	// The judge checks the stop call of each shortening against that shortening's deadline; a container that still waits never
	// gets one if another shortening comes first.
	add(!disturbed && (shortenings < 2 || !waits), scenario.ShorterActs)
	add(!disturbed, scenario.Zero)
	add(!disturbed, scenario.Window)
	// A server that is killed at once does not see its client disconnect.
	add(!disturbed && !(http && zero), scenario.HookOnce)
	add(!disturbed, scenario.Prompt)
	// A refused stop is a failed kill, which is reported.
	add(!refuses, scenario.Quiet)
	// An evicted pod stays in the API.
	add(leaves, scenario.Ends)
	// The kubelet may know nothing of a pod that ended before it was evicted.
	add(!disturbed && (leaves || evicted) && (!late || stubborn), scenario.Kept)
	add(!disturbed || hangs, scenario.NoLeftovers)
	return rules
}

// Shortens reports whether a request asks for less than an earlier one.
func Shortens(s scenario.Scenario) bool {
	least := int64(-1)
	for _, step := range s.Steps {
		grace, ok := scenario.Asked(step.Do, s.Pod.Grace)
		switch {
		case !ok:
		case least >= 0 && grace < least:
			return true
		case least < 0:
			least = grace
		}
	}
	return false
}

// On adapts the scenario to a runtime. CRI-O takes some 10 ms even for an immediate kill, and the judges of R1 and R3 allow no
// time for a grace of 0; the judge of R4 does, and checks the same.
func On(p sim.Behaviour, s scenario.Scenario) scenario.Scenario {
	zero := slices.ContainsFunc(s.Steps, func(step scenario.Step) bool {
		grace, ok := scenario.Asked(step.Do, s.Pod.Grace)
		return ok && grace == 0
	})
	if p == sim.CRIO && zero {
		s.Expect = slices.DeleteFunc(slices.Clone(s.Expect), func(e scenario.Expectation) bool {
			return e.Rule == scenario.Deadline || e.Rule == scenario.ShorterActs
		})
	}
	return s
}
