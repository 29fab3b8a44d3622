// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"slices"
	"time"

	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Level is the test level: how many of the components are real.
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

// ParseLevel returns the level with the given name; the error lists the known ones.
func ParseLevel(name string) (Level, error) {
	if slices.Contains(Levels(), Level(name)) {
		return Level(name), nil
	}
	return "", tool.NewUnknown("level", name, "", Levels())
}

// Scenario is one row of the catalogue.
type Scenario struct {
	// ID names the scenario and its pod, so it is a DNS label.
	ID string
	// Family is the family that the scenario belongs to.
	Family string
	// Source is its origin: issue numbers of kubernetes/kubernetes, or what it is derived from.
	Source string
	// Fixed and Stock describe the behaviour of each arm.
	Fixed, Stock string

	Pod Pod
	// Faults are faults of the runtime, active from before the pod is created unless they say otherwise.
	Faults []Fault
	// Steps are in order of their times; the first is at 0. A level carries them out one after the other: a slow step delays
	// the next.
	Steps []Step
	// Watch is the minimum time for which a level watches, counted from the first step, if that is longer than Longest.
	Watch map[Level]time.Duration
	// Alone means that a step disturbs every pod of its node, so that no other scenario may run there at the same time. Such
	// scenarios run last.
	Alone bool
	// Scaled replaces the times at a level where they would take too long. Virtual time needs no scaling; a kind cluster uses
	// the times of a real node unless it has its own.
	Scaled map[Level]Times
	// AsStock means that the scenario requests nothing that the series changes, so both arms must do the same, call by call. If
	// the scenario ran on both arms, their histories are compared; the judge of R12 uses one history only.
	AsStock bool
	// Unlike gives, for each minor whose stock the contract forbids to follow here, the reason; there the history alone is judged.
	Unlike map[string]string
	// Apart is the reason why the arms' containers may die at different times although every rule is kept on both.
	Apart string
	// Expect is the expected outcome of each rule on each arm.
	Expect []Expectation
	// Levels are the levels that run the scenario; Not gives the reason why another one cannot.
	Levels []Level
	Not    map[Level]string
	// Since is the first minor that can run the scenario at any level.
	Since Since
	// BrokenIn gives, for each later minor that cannot run the scenario either, the reason: an upstream bug in what the
	// scenario checks, which the series does not fix.
	BrokenIn map[string]string
}

// shorterOnFixed is why a row that shortens a grace, but asks for something else, ends earlier on fixed.
const shorterOnFixed = "the row shortens the grace: fixed ends the pod by the shorter one, stock by the old one; its rule asks for something else"

// Times replaces a scenario's times at one level.
type Times struct {
	// Grace is the spec's grace period in seconds.
	Grace int64
	// Hook is the duration of the pod's preStop hooks; 0 keeps the original.
	Hook time.Duration
	// Faults replaces all faults; nil keeps the original.
	Faults []Fault
	// Steps replaces all steps.
	Steps []Step
}

// At returns the scenario as it runs at a level: with the times and the expectations of that level.
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

// Longest returns the time, from the first step, by which the last container is gone on an arm that knows only the first
// request's grace, including the stop window of 2 s and the disturbances of the scenario. A container that lives longer is
// stuck.
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
			// A restart of the kubelet is a new beginning, and one of the runtime may cost a retry.
			more = max(more, step.After+retry)
		case Burst:
			grace = do.Grace
			last += do.Over + retry
		}
	}
	for _, f := range s.Faults {
		if f.Hangs {
			continue // a hanging call must not delay the pod
		}
		more = max(more, f.For+f.Delay+retry)
	}
	return max(time.Duration(min(grace, int64(longest/time.Second)))*time.Second, last) + more + 2*time.Second
}

// longest is the longest grace that a level waits for. A scenario with a longer one tests something else.
const longest = 2 * time.Hour

// WatchFor returns how long a level watches the scenario, counted from the first step, unless it ends earlier.
func (s Scenario) WatchFor(level Level) time.Duration {
	if s.Stays() {
		return s.Watch[level]
	}
	watch := max(s.Longest()+beyond, s.Watch[level])
	if level == LevelSim && slices.ContainsFunc(s.Faults, func(f Fault) bool { return f.Call == "StopContainer" && f.Fails }) {
		watch = max(watch, s.Longest()+sandboxStops)
	}
	return watch
}

// sandboxStops is how long it may take until a container that could not be stopped is killed with its sandbox: StopPodSandbox of
// CRI-O grants running containers what is left until its client's deadline, 118 s of the kubelet's two minutes.
const sandboxStops = 2*time.Minute + beyond

// beyond is how long a level keeps watching after the last time at which stock would have killed the pod.
const beyond = 10 * time.Second

// retry is the longest delay before the kubelet retries after a failure: 10 s plus a jitter of half of that.
const retry = 15 * time.Second

// Stays reports whether no step requests the pod's end, so that the pod must outlive the scenario.
func (s Scenario) Stays() bool {
	for _, step := range s.Steps {
		if _, ok := Asked(step.Do, s.Pod.Grace); ok {
			return false
		}
	}
	return !s.Bursts()
}

// Leaves reports whether the pod finally leaves the API. An evicted pod stays there as Failed.
func (s Scenario) Leaves() bool {
	for _, step := range s.Steps {
		switch step.Do.(type) {
		case Delete, DeletePlainly, Force, Drain, Taint, RemoveManifest, ChangeManifest, Burst:
			return true
		}
	}
	return false
}

// Scheduled reports whether the scheduler places the pod: it belongs to a controller or requests a host port.
func (s Scenario) Scheduled() bool {
	return s.Pod.Owner != "" || slices.ContainsFunc(s.Pod.All(), func(c Container) bool { return c.Port > 0 })
}

// Replaced reports whether another pod with the same containers replaces the first one as soon as that has left the API,
// created by its controller or by the harness.
func (s Scenario) Replaced() bool {
	if s.Pod.Owner == OwnerStatefulSet || s.Pod.Owner == OwnerDaemonSet {
		return true
	}
	return slices.ContainsFunc(s.Steps, func(step Step) bool { return step.Do == Recreate{} })
}

// ComesBack reports whether a pod of the same name, or a replacement, starts after the first one's end.
func (s Scenario) ComesBack() bool {
	return s.Replaced() || slices.ContainsFunc(s.Steps, func(step Step) bool {
		switch step.Do.(type) {
		case ChangeManifest, AddManifest:
			return true
		}
		return false
	})
}

// Bursts reports whether the scenario creates its own pods, so that there is no pod to arm.
func (s Scenario) Bursts() bool {
	return slices.ContainsFunc(s.Steps, func(step Step) bool { _, ok := step.Do.(Burst); return ok })
}

// Pulls reports whether the scenario takes place during an image pull; it is then armed when the pull starts.
func (s Scenario) Pulls() bool {
	return slices.ContainsFunc(s.Faults, func(f Fault) bool { return f.Call == "PullImage" })
}

// Outcome is a judge's result for one rule in one history.
type Outcome string

const (
	// Held means that the rule applied and was kept.
	Held Outcome = "held"
	// Broken means that the rule applied and was not kept.
	Broken Outcome = "broken"
	// Invalid means that the run did not reach the point where the rule applies. It is neither green nor red.
	Invalid Outcome = "invalid"
)

// Expectation is the expected outcome of one rule on each arm. The series repairs a rule that stock breaks and fixed holds; a
// rule that both hold is kept.
type Expectation struct {
	Rule         Rule
	Stock, Fixed Outcome
	// Levels are the levels that can check the rule; nil means every level that runs the scenario.
	Levels []Level
	// Earlier is the outcome on stock of older minors, if it differs.
	Earlier Earlier
}

func (e Expectation) shows(level Level) bool {
	return e.Levels == nil || slices.Contains(e.Levels, level)
}

// On returns the expected outcome on one arm.
func (e Expectation) On(arm verdict.Arm) Outcome {
	if arm == verdict.Stock {
		return e.Stock
	}
	return e.Fixed
}

// Verdict returns the verdict for a finding on an arm.
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

// until sets the outcome on stock in the minors before the given one.
func until(minor, why string, stock Outcome, all []Expectation) []Expectation {
	for i := range all {
		all[i].Earlier = Earlier{Since{minor, why}, stock}
	}
	return all
}

// repairs returns expectations for rules that stock breaks.
func repairs(rules ...Rule) []Expectation { return expect(Broken, rules) }

// keeps returns expectations for rules that both arms hold.
func keeps(rules ...Rule) []Expectation { return expect(Held, rules) }

func expect(stock Outcome, rules []Rule) []Expectation {
	var all []Expectation
	for _, rule := range rules {
		all = append(all, Expectation{Rule: rule, Stock: stock, Fixed: Held})
	}
	return all
}
