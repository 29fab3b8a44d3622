// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// kept is a control that was delayed.
func kept(due, by float64) timeline {
	return timeline{{At: at(due), Kind: history.ControlLate, Late: by}}
}

// looked is a slow read-only runtime call.
func looked(s, took float64) timeline {
	return timeline{{At: at(s), Kind: history.CRISlow, Call: "ListPodSandbox", Late: took}}
}

func saw(s float64, grace int64) timeline {
	return timeline{{At: at(s), Kind: history.ControlSaw, Reason: "MODIFIED", Grace: &grace}}
}

// slow adds up small delays of a control: the given number, each of 150 ms, one every 200 ms.
func slow(from float64, n int) timeline {
	var all timeline
	for i := range n {
		all = append(all, kept(from+.2*float64(i), .15)...)
	}
	return all
}

// The late component: the runtime, the machine, the kubelet, or several of them.
func TestLateness(t *testing.T) {
	first, long := del(0, 30), del(0, 90)
	for _, c := range []struct {
		name   string
		rule   scenario.Rule
		events []timeline
		want   scenario.Outcome
		why    string
	}{
		// force-while-terminating: del(30), +3 s force.
		{"nobody", "R4", parts(first, stop(.1, "main", 30, 3), forced(3), stop(3.1, "main", 0, .1), killed(3.2, "main"), over(3.2)), held_, "at once"},
		{"the runtime", "R4", parts(del(0, 30), stop(.1, "main", 30, 6), forced(3), stop(3.1, "main", 0, 5), killed(8.1, "main"), over(8.2)), held_, "; runtime late by 5.0 s"},
		{"the runtime, by a minute", "R4", parts(del(0, 30), stop(.1, "main", 30, 60), forced(3), stop(3.1, "main", 0, 60), killed(63, "main"), over(63.2)), held_, "; runtime late by 59.9 s"},
		{"the runtime, for ever", "R4", parts(del(0, 30), stop(.1, "main", 30, -1), forced(3), stop(3.1, "main", 0, -1), finished(63)), broken_, "still alive"},
		{"the runtime refuses", "R3", parts(del(0, 30), stop(.1, "main", 30, 6), forced(3), called(3.1, .1, "StopContainer", "main", history.Seconds(0), "Unknown: x"), killed(30.1, "main"), over(30.2)), broken_, "lived until 30.10 s"},
		{"the kubelet", "R4", parts(first, stop(.1, "main", 30, 7), forced(3), stop(7, "main", 0, .1), killed(7.1, "main"), over(7.2)), broken_, "of which the machine explains 0.0 s"},
		{"the kubelet, a little, on an idle machine", "R4", parts(first, stop(.1, "main", 30, 7), forced(3), kept(3.1, .06), stop(4.8, "main", 0, .1), killed(4.9, "main"), over(5)), broken_, "late by 0.1 s"},
		{"the machine stood still", "R4", parts(first, stop(.1, "main", 30, 7), forced(3), kept(3.1, 3.8), stop(7, "main", 0, .1), killed(7.1, "main"), over(7.2)), none, "late by 2.3 s, but the control or the runtime"},
		{"the machine stood still, and nothing was late", "R4", parts(first, stop(.1, "main", 30, 7), kept(2, 1), forced(3), stop(3.1, "main", 0, .1), killed(3.2, "main"), over(3.2)), held_, ""},
		{"the machine stood still at another time", "R4", parts(first, stop(.1, "main", 30, 12), forced(3), kept(.2, .7), stop(12, "main", 0, .1), kept(12.1, 9), killed(12.1, "main"), over(22)), broken_, "explains 0.0 s"},
		{"the machine, by many small delays", "R4", parts(first, stop(.1, "main", 30, 7), forced(3), slow(3, 20), stop(7, "main", 0, .1), killed(7.1, "main"), over(7.2)), none, "late by 2.3 s"},
		{"the API is late for the kubelet", "R4", parts(first, stop(.1, "main", 30, 7), forced(3), saw(6.9, 0), stop(7, "main", 0, .1), killed(7.1, "main"), over(7.2)), none, "late by 2.3 s"},
		{"what the control sees of another request", "R4", parts(first, stop(.1, "main", 30, 7), saw(.03, 30), forced(3), saw(3.03, 30), saw(3.1, 0), stop(7, "main", 0, .1), killed(7.1, "main"), over(7.2)), broken_, "explains 0.1 s"},
		{"the runtime keeps the kubelet waiting before it can ask", "R4", parts(first, stop(.1, "main", 30, 7), forced(3), called(3.1, 3.8, "PodSandboxStatus", "", nil, ""), stop(7, "main", 0, .1), killed(7.1, "main"), over(7.2)), none, "late by 2.3 s"},
		{"the runtime keeps the kubelet waiting for a look", "R4", parts(first, stop(.1, "main", 30, 7), forced(3), looked(3.1, 3.8), stop(7, "main", 0, .1), killed(7.1, "main"), over(7.2)), none, "late by 2.3 s"},
		{"the runtime and the kubelet", "R4", parts(first, stop(.1, "main", 30, 20), forced(3), stop(8, "main", 0, 10), killed(18, "main"), over(18.2)), broken_, "was not asked to stop with timeout 0 by"},
		{"the runtime and the machine", "R4", parts(first, stop(.1, "main", 30, 20), forced(3), kept(3.1, 4.8), stop(8, "main", 0, 10), killed(18, "main"), over(18.2)), none, "late by 3.3 s"},
		{"the machine and the kubelet", "R4", parts(long, stop(.1, "main", 90, 63), forced(3), kept(3.1, 20), slow(30, 100), stop(63, "main", 0, .1), killed(63.1, "main"), over(63.2)), broken_, "of which the machine explains 35.0 s"},
		{"the kubelet is a minute late on the slowest machine", "R4", parts(long, stop(.1, "main", 90, 63), forced(3), slow(3, 300), stop(63, "main", 0, .1), killed(63.1, "main"), over(63.2)), broken_, "explains 45.0 s"},
		{"wrong is not late", "R4", parts(first, stop(.1, "main", 30, 7), forced(3), kept(3, 30), stop(3.5, "main", 2, 2), killed(5.5, "main"), over(40)), broken_, "with timeout 2 instead of 0"},
		{"early is not late", "R1", parts(first, kept(0, 20), stop(.1, "main", 30, 5), killed(2, "main"), forced(3), over(3.2)), broken_, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Judge(c.rule, tell("force-while-terminating", c.events...), row(t, "force-while-terminating"))
			if got.Outcome != c.want || !strings.Contains(got.Why, c.why) {
				t.Errorf("got %s: %s\nwant %s with %q", got.Outcome, got.Why, c.want, c.why)
			}
			if stands := strings.Contains(got.Why, "; runtime late by"); stands != (got.RuntimeLate > 0) {
				t.Errorf("late by %v: %s", got.RuntimeLate, got.Why)
			}
		})
	}
}

// In virtual time there is no machine: the time of death decides, and no delay is explained.
func TestVirtualTimeExplainsNothing(t *testing.T) {
	h := tell("force-while-terminating", began(0), del(0, 30), stop(.1, "main", 30, 6), forced(3), kept(3, 5), stop(3.1, "main", 0, 5), killed(8.1, "main"), over(8.2))
	h.Level = string(scenario.LevelSim)
	if got := Judge(scenario.Zero, h, row(t, h.Scenario)); got.Outcome != broken_ {
		t.Errorf("got %s: %s", got.Outcome, got.Why)
	}
}

func TestFiguresOfLateness(t *testing.T) {
	h := tell("force-while-terminating", del(0, 30), stop(.1, "main", 30, 6), forced(3), kept(3, .2), kept(4, .1), stop(3.1, "main", 0, 5), killed(8.1, "main"), over(8.2))
	if got := Measure(h, row(t, h.Scenario)); got.RuntimeLate < 4.99 || got.RuntimeLate > 5.01 || got.ControlLate != .2 {
		t.Errorf("%+v", got)
	}
}
