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

package scenario

import (
	"fmt"
	"slices"
	"time"

	"github.com/kgrace/kgrace/internal/verdict"
)

// Level is how much of what runs is real.
type Level string

const (
	// LevelSim is the arm's own kubelet code against a simulated runtime, in virtual time.
	LevelSim Level = "sim"
	// LevelNode is a real kubelet, containerd, runc, kube-apiserver and etcd on this machine.
	LevelNode Level = "node"
	// LevelKind is a kind cluster.
	LevelKind Level = "kind"
)

// Levels returns every level at which scenarios run.
func Levels() []Level { return []Level{LevelSim, LevelNode, LevelKind} }

// ParseLevel returns the level of that name; the error lists the known ones.
func ParseLevel(name string) (Level, error) {
	if slices.Contains(Levels(), Level(name)) {
		return Level(name), nil
	}
	return "", fmt.Errorf("unknown level %q; known: %s", name, joined(Levels()))
}

// Scenario is one row of the catalogue.
type Scenario struct {
	// ID names the scenario; it is also the name of its pod, so it is a DNS label.
	ID string
	// Family is the file it stands in.
	Family string
	// Source is where it comes from: issue numbers of kubernetes/kubernetes, or what it is derived from.
	Source string
	// Fixed and Stock say in words what each arm shows.
	Fixed, Stock string

	Pod Pod
	// Faults of the runtime, in place from before the pod is created.
	Faults []Fault
	// Steps in the order of their times; the first stands at 0. A level carries one out after the other: one that takes
	// longer delays the next.
	Steps []Step
	// Watch is how long a level watches at least, counted from the first step, where that is longer than Longest says.
	Watch map[Level]time.Duration
	// Alone: a step disturbs every pod of its node, so nothing else may run there meanwhile. Such scenarios come last.
	Alone bool
	// Scaled replaces times at a level where those written would take too long. Virtual time needs none; a kind cluster has
	// those of a real node unless it has its own.
	Scaled map[Level]Times
	// AsStock: nothing of what the series mends is asked for, so both arms do the same, call by call. Where the scenario ran on
	// both, their histories are held against each other; the judge of R12 looks at one alone.
	AsStock bool
	// Expect says what each rule's judge finds on each arm.
	Expect []Expectation
	// Levels are those that can carry the scenario; Not says why another one cannot.
	Levels []Level
	Not    map[Level]string
	// NotOn says which simulated runtime cannot carry the scenario, and why.
	NotOn map[string]string
	// Since is the first minor that can carry it, at whichever level.
	Since Since
	// BrokenIn says of later minors why they cannot carry it all the same: a fault of upstream's own in what it watches, which
	// is no part of what the series mends.
	BrokenIn map[string]string
}

// Times replaces a scenario's times at one level.
type Times struct {
	// Grace is the spec's grace period in seconds.
	Grace int64
	// Hook is how long the preStop hooks of the pod take; 0 leaves them as written.
	Hook time.Duration
	// Faults replaces all faults; nil leaves them as written.
	Faults []Fault
	// Steps replaces all steps.
	Steps []Step
}

// At returns the scenario as it runs at a level: with the times of that level and what shows there.
func (s Scenario) At(level Level) Scenario {
	s.Expect = slices.DeleteFunc(slices.Clone(s.Expect), func(e Expectation) bool { return level != "" && !e.shows(level) })
	times, ok := s.Scaled[level]
	if !ok && level == LevelKind {
		times, ok = s.Scaled[LevelNode]
	}
	if !ok {
		return s
	}
	if times.Faults != nil {
		s.Faults = times.Faults
	}
	s.Pod.Grace = times.Grace
	s.Steps = times.Steps
	if times.Hook > 0 {
		s.Pod.Containers = withHook(s.Pod.Containers, times.Hook)
		s.Pod.Sidecars = withHook(s.Pod.Sidecars, times.Hook)
	}
	return s
}

func withHook(containers []Container, takes time.Duration) []Container {
	containers = slices.Clone(containers)
	for i, c := range containers {
		if c.Hook != nil && c.Hook.Takes > 0 {
			hook := *c.Hook
			hook.Takes = takes
			containers[i].Hook = &hook
		}
	}
	return containers
}

// Runs reports whether the scenario runs at a level.
func (s Scenario) Runs(level Level) bool { return slices.Contains(s.Levels, level) }

// Longest is how many seconds after the first step the last container is gone on an arm that knows only the first
// request's grace, the stop window of 2 s and what disturbs the scenario included. What lives longer than that is stuck.
func (s Scenario) Longest() time.Duration {
	grace := s.Pod.Grace
	var last, more time.Duration
	asked := false
	for _, step := range s.Steps {
		g, ok := Asked(step.Do, s.Pod.Grace)
		if ok && !asked {
			grace, asked = g, true
		}
		last = step.After
		switch do := step.Do.(type) {
		case StartKubelet, RestartRuntime, StartRuntime:
			// A restart of the kubelet is a new start, and one of the runtime may cost a retry.
			more = max(more, step.After+retry)
		case Burst:
			grace = do.Grace
			last += do.Over + retry
		}
	}
	for _, f := range s.Faults {
		if f.Hangs {
			continue // what held the call back must not hold the pod back
		}
		more = max(more, f.For+f.Delay+retry)
	}
	return max(time.Duration(min(grace, int64(longest/time.Second)))*time.Second, last) + more + 2*time.Second
}

// longest is the longest grace that anybody waits for. A scenario with a longer one is about something else.
const longest = 2 * time.Hour

// WatchFor is how long a level watches the scenario, counted from the first step, if its end is not seen before.
func (s Scenario) WatchFor(level Level) time.Duration {
	if s.Stays() {
		return s.Watch[level]
	}
	return max(s.Longest()+beyond, s.Watch[level])
}

// beyond is how long a scenario is watched after the last moment at which stock would have killed.
const beyond = 10 * time.Second

// retry is how long the kubelet may wait before it tries again what failed: 10 s and a jitter of half of that.
const retry = 15 * time.Second

// Stays reports whether nothing asks for the pod's end: it must outlive the scenario.
func (s Scenario) Stays() bool {
	for _, step := range s.Steps {
		if _, ok := Asked(step.Do, s.Pod.Grace); ok {
			return false
		}
	}
	return !s.Bursts()
}

// Leaves reports whether the pod leaves the API in the end. An evicted one stays there as Failed.
func (s Scenario) Leaves() bool {
	for _, step := range s.Steps {
		switch step.Do.(type) {
		case Delete, DeletePlainly, Force, Drain, Taint, RemoveManifest, ChangeManifest, Burst:
			return true
		}
	}
	return false
}

// Scheduled reports whether the scheduler places the pod: it belongs to a controller, or asks for a port of the node.
func (s Scenario) Scheduled() bool {
	return s.Pod.Owner != "" || slices.ContainsFunc(s.Pod.All(), func(c Container) bool { return c.Port > 0 })
}

// Replaced reports whether another pod with the same containers takes the place of the first one as soon as the API has forgotten
// that: its controller makes it, or the harness does.
func (s Scenario) Replaced() bool {
	if s.Pod.Owner == OwnerStatefulSet || s.Pod.Owner == OwnerDaemonSet {
		return true
	}
	return slices.ContainsFunc(s.Steps, func(step Step) bool { return step.Do == Recreate{} })
}

// ComesBack reports whether a pod of the same name, or in the same place, starts again after the first one's end.
func (s Scenario) ComesBack() bool {
	return s.Replaced() || slices.ContainsFunc(s.Steps, func(step Step) bool {
		switch step.Do.(type) {
		case ChangeManifest, AddManifest:
			return true
		}
		return false
	})
}

// Bursts reports whether the scenario makes its own pods, so that there is none to arm.
func (s Scenario) Bursts() bool {
	return slices.ContainsFunc(s.Steps, func(step Step) bool { _, ok := step.Do.(Burst); return ok })
}

// Pulls reports whether the scenario happens during an image pull: it is armed when the pull has begun.
func (s Scenario) Pulls() bool {
	return slices.ContainsFunc(s.Faults, func(f Fault) bool { return f.Call == "PullImage" })
}

// Outcome is what a judge finds about one rule in one history.
type Outcome string

const (
	// Held: the rule applied and was kept.
	Held Outcome = "held"
	// Broken: the rule applied and was not kept.
	Broken Outcome = "broken"
	// Invalid: the run never got to the point where the rule applies. It is neither green nor red.
	Invalid Outcome = "invalid"
)

// Expectation is what the judge of one rule finds on each arm. A rule that stock breaks and fixed holds is what the
// series repairs; one that both hold is kept.
type Expectation struct {
	Rule         Rule
	Stock, Fixed Outcome
	// Levels are those at which it shows; nil is wherever the scenario runs.
	Levels []Level
	// Earlier says that stock of older minors does otherwise; the zero value is that it does not.
	Earlier Earlier
}

func (e Expectation) shows(level Level) bool {
	return e.Levels == nil || slices.Contains(e.Levels, level)
}

// On returns what is expected on one arm.
func (e Expectation) On(arm verdict.Arm) Outcome {
	if arm == verdict.Stock {
		return e.Stock
	}
	return e.Fixed
}

// Verdict returns what the finding on an arm means.
func (e Expectation) Verdict(arm verdict.Arm, found Outcome) verdict.Verdict {
	repair := e.Stock == Broken
	switch {
	case found != Held && found != Broken:
		return verdict.Invalid
	case !repair && found == Held:
		return verdict.Kept
	case !repair:
		return verdict.Regressed
	case arm == verdict.Stock && found == Broken:
		return verdict.Reproduced
	case arm == verdict.Stock:
		return verdict.NotReproduced
	case found == Held:
		return verdict.Repaired
	default:
		return verdict.StillBroken
	}
}

// until adds to expectations what stock does otherwise in the minors before one.
func until(minor, why string, stock Outcome, all []Expectation) []Expectation {
	for i := range all {
		all[i].Earlier = Earlier{Since{minor, why}, stock}
	}
	return all
}

// repairs is the expectation of rules that stock breaks.
func repairs(rules ...Rule) []Expectation { return expect(Broken, rules) }

// keeps is the expectation of rules that both arms hold.
func keeps(rules ...Rule) []Expectation { return expect(Held, rules) }

func expect(stock Outcome, rules []Rule) []Expectation {
	var all []Expectation
	for _, rule := range rules {
		all = append(all, Expectation{Rule: rule, Stock: stock, Fixed: Held})
	}
	return all
}
