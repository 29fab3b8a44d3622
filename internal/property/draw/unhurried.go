// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package draw

import (
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/kgrace/kgrace/internal/scenario"
)

// Unhurried draws scenarios in which nobody hurries the pod: one request, or several of which none asks for an earlier end,
// with any other events that a terminating pod may see. Everything that takes time gets its own odd fraction of a second, so
// that no two events coincide by chance: stock has no order for those, so a comparison with it has none either.
func Unhurried(id string) *rapid.Generator[scenario.Scenario] {
	return rapid.Custom(func(t *rapid.T) scenario.Scenario {
		s := scenario.Scenario{ID: id, Family: "unhurried", Source: "generated", Fixed: "as stock", Stock: "as it is",
			Levels: []scenario.Level{scenario.LevelSim},
			Not:    map[scenario.Level]string{scenario.LevelNode: "generated", scenario.LevelKind: "generated"},
			Expect: []scenario.Expectation{{Rule: scenario.Kept, Stock: scenario.Held, Fixed: scenario.Held}}}
		u := unhurried{t: t}
		s.Pod = u.pod()
		s.Faults = u.faults(&s)
		s.Steps = u.steps(s)
		// Hanging calls end with their own limit, two minutes after the requested timeout.
		s.Watch = map[scenario.Level]time.Duration{scenario.LevelSim: s.Longest() + 2*(longest*time.Second+2*time.Minute)}
		return s
	})
}

// unhurried draws one scenario.
type unhurried struct {
	t    *rapid.T
	http bool
	// sick: a container fails its liveness probe. With two of them the order of the kills is undefined.
	sick bool
	// odds counts the odd fractions handed out.
	odds int
}

// odd returns a fraction of a second that is unique in the scenario.
func (u *unhurried) odd() time.Duration {
	u.odds++
	return time.Duration(u.odds)*7*time.Millisecond + time.Duration(u.odds*u.odds)*time.Microsecond
}

func (u *unhurried) oneOf(label string, of ...int) int { return rapid.SampledFrom(of).Draw(u.t, label) }

func (u *unhurried) quarters(label string, low, high int) time.Duration {
	return time.Duration(rapid.IntRange(low, max(low, high)).Draw(u.t, label))*quarter + u.odd()
}

func (u *unhurried) seconds(label string, low, high int64) int64 {
	return rapid.Int64Range(low, max(low, high)).Draw(u.t, label)
}

// rarely returns true once in n times.
func (u *unhurried) rarely(label string, n int) bool {
	return rapid.IntRange(0, n-1).Draw(u.t, label) == n-1
}

// steps draws the events of the pod: possibly one that makes the kubelet sync it, the request, possibly more requests that do
// not ask for an earlier end, and possibly a restart in between.
func (u *unhurried) steps(s scenario.Scenario) (steps []scenario.Step) {
	spec := s.Pod.Grace
	var at time.Duration
	before := u.oneOf("before", 0, 0, 0, 0, 0, 0, 0, 0, 1, 2)
	if before == 2 && len(s.Pod.All()) > 1 {
		before = 1 // the rest of the pod after a kill by SyncPod may end by itself
	}
	switch before {
	case 1:
		steps = append(steps, scenario.Step{Do: scenario.Touch{}})
		at = u.quarters("quarters after the touch", 0, 4)
	case 2:
		steps = append(steps, scenario.Step{Do: scenario.LoseSandbox{}})
		at = u.quarters("quarters after the loss", 0, 80)
	}
	do := u.request()
	if !s.Pod.Restarts && (before == 2 || s.Pod.Containers[0].EndsByItself()) {
		do = scenario.DeletePlainly{} // the pod may be terminating already, with the spec's grace
	}
	steps = append(steps, scenario.Step{After: at, Do: do})
	first := at
	grace, _ := scenario.Asked(do, spec)
	deleted := deletes(do)
	// The start of the termination is unknown if something may delay it.
	unknown := s.Pulls() || u.sick || before > 0 || slices.ContainsFunc(s.Faults, func(f scenario.Fault) bool { return strings.HasSuffix(f.Call, "Status") })
	for range u.oneOf("more", 0, 0, 0, 0, 1, 2) {
		if _, forced := do.(scenario.Force); forced {
			break
		}
		at += u.quarters("quarters later", 0, 4*int(grace)+8)
		switch u.oneOf("what more", 0, 0, 1, 2, 3) {
		case 0:
			left := max(grace-int64((at-first)/time.Second)+1, 1) // the termination may begin a second late
			if unknown {
				left = grace
			}
			more := u.again(deleted, grace, left, at, spec)
			steps = append(steps, more)
			deleted = deleted || deletes(more.Do)
		case 1:
			steps = append(steps, scenario.Step{After: at, Do: scenario.RestartRuntime{}})
			at += time.Second
			unknown = true
		case 2:
			if s.Pulls() {
				continue
			}
			steps = append(steps, scenario.Step{After: at, Do: scenario.KillKubelet{}})
			at += u.quarters("quarters down", 1, 20)
			steps = append(steps, scenario.Step{After: at, Do: scenario.StartKubelet{}})
			return steps
		case 3:
			steps = append(steps, scenario.Step{After: at, Do: scenario.Touch{}})
		}
	}
	return steps
}

// request draws the first request.
func (u *unhurried) request() scenario.Action {
	switch u.oneOf("request", 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6) {
	case 1:
		return scenario.Taint{}
	case 2:
		return scenario.Evict{Hard: true}
	case 3:
		return scenario.Evict{Max: u.seconds("soft maximum", 1, longest)}
	case 4:
		return scenario.Force{}
	case 5:
		return scenario.DeletePlainly{}
	case 6:
		return scenario.Shutdown{Grants: u.seconds("granted", 1, longest)}
	}
	return scenario.Delete{Grace: u.seconds("grace", 1, longest)}
}

// deletes reports whether a request deletes the pod; others come from the kubelet.
func deletes(do scenario.Action) bool {
	switch do.(type) {
	case scenario.Evict, scenario.Shutdown:
		return false
	}
	return true
}

// again draws another request whose deadline is not before that of the first: one that counts from now may ask for less, if
// that is the remaining time.
func (u *unhurried) again(deleted bool, grace, left int64, at time.Duration, spec int64) scenario.Step {
	max := u.seconds("another", left, 2*longest)
	switch kind := u.oneOf("of the kubelet", 0, 0, 1, 2); {
	case min(max, spec) < left:
	case kind == 1:
		return scenario.Step{After: at, Do: scenario.Evict{Max: max}}
	case kind == 2:
		return scenario.Step{After: at, Do: scenario.Shutdown{Grants: max}}
	}
	if deleted {
		left = grace // counts from the first delete
	}
	return scenario.Step{After: at, Do: scenario.Delete{Grace: left + u.seconds("longer", 0, longest)}}
}
