// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

func TestEveryRuleHasAJudge(t *testing.T) {
	for _, rule := range scenario.Rules() {
		if rules[rule] == nil {
			t.Errorf("rule %s has no judge", rule)
		}
	}
	if len(rules) != len(scenario.Rules()) {
		t.Errorf("%d judges for %d rules", len(rules), len(scenario.Rules()))
	}
}

// A judge that used the fix's own arithmetic would hide the fix's bugs.
func TestJudgesImportNothingOfTheFix(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			if strings.Contains(path, "/pkg/") || strings.Contains(path, "k8s.io/") {
				t.Errorf("%s imports %s", file.Name(), path)
			}
		}
	}
}

func TestNoRuleAppliesBeforeItsTime(t *testing.T) {
	good := func() history.History {
		return tell("now", del(0, 1), stop(.1, "main", 2, 2), killed(2.1, "main"), over(2.1))
	}
	if got := Judge(scenario.Window, good(), row(t, "now")); got.Outcome != scenario.Held {
		t.Fatalf("the good history: %+v", got)
	}
	without := func(h history.History, kind history.Kind) history.History {
		var kept []history.Event
		for _, e := range h.Events {
			if e.Kind != kind {
				kept = append(kept, e)
			}
		}
		h.Events = kept
		return h
	}
	for name, c := range map[string]struct {
		h    history.History
		want string
	}{
		"not armed":       {without(good(), history.Armed), "never armed"},
		"not finished":    {without(good(), history.Finished), "never came to its end"},
		"no delete":       {without(good(), history.APIDelete), "no delete was accepted"},
		"no answer":       {without(good(), history.APIDeleted), "no delete was accepted"},
		"dead before it":  {tell("now", ended(-.5, "main", 0), del(0, 1), over(1)), "had ended before"},
		"given up":        {tell("now", timeline{{At: at(0), Kind: history.Abandoned, Message: "no node"}}), "given up: no node"},
		"another's":       {tell("lengthen", del(0, 1)), "not \"now\""},
		"the stop unseen": {tell("now", del(0, 1), killed(2.1, "main"), over(2.1)), "no stop call"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Judge(scenario.Window, c.h, row(t, "now"))
			if got.Outcome != scenario.Invalid || !strings.Contains(got.Why, c.want) {
				t.Errorf("got %+v, want invalid with %q", got, c.want)
			}
		})
	}
	if got := Judge("R99", good(), row(t, "now")); got.Outcome != scenario.Invalid {
		t.Errorf("unknown rule: %+v", got)
	}
}

func TestFigures(t *testing.T) {
	h := tell("force-while-terminating", del(0, 30), forced(3), killed(3.25, "main"), over(3.3))
	got := Measure(h, row(t, h.Scenario))
	if got.Dead == nil || *got.Dead != 3.25 || got.Forced == nil || *got.Forced != .25 {
		t.Errorf("got %+v", got)
	}
	if got := Measure(tell("now", del(0, 1), finished(3)), row(t, "now")); got.Dead != nil {
		t.Errorf("alive, yet measured: %+v", got)
	}
}

// The runtime was restarted while it started a container: the next one of that name is the pod's.
func TestAFailedStartIsNoContainer(t *testing.T) {
	start := func(s float64, id, err string) timeline {
		all := called(s, .2, "StartContainer", "main", nil, err)
		all[0].ContainerID, all[1].ContainerID = id, id
		return all
	}
	stopped := stop(.1, "main", 2, 2)
	for i := range stopped {
		stopped[i].ContainerID = "two"
	}
	rest := slices.Concat(start(-3, "two", ""), line(-2.9, "main", "START"), del(0, 1), stopped, endedAs(2.1, "two", 137), removed(2.1), finished(12))
	for _, c := range []struct {
		name  string
		first timeline
		want  scenario.Outcome
	}{
		{"failed", start(-9, "one", "Unavailable"), scenario.Held},
		{"succeeded, and the container lives on", start(-9, "one", ""), scenario.Broken},
		{"failed for its client only", slices.Concat(start(-9, "one", "Unavailable")[:1], line(-8.9, "main", "START"), start(-9, "one", "Unavailable")[1:]), scenario.Broken},
	} {
		if got := Judge(scenario.Ends, tell("now", c.first, rest), row(t, "now")); got.Outcome != c.want {
			t.Errorf("%s: %s: %s, want %s", c.name, got.Outcome, got.Why, c.want)
		}
	}
}

// A kubelet that was restarted begins anew: what it was asked before does not hold it to the old deadline.
func TestShorterRequestsBeforeARestart(t *testing.T) {
	s := row(t, "now")
	kill, start := scenario.KillKubelet{}, scenario.StartKubelet{}
	s.Steps = []scenario.Step{{Do: scenario.Delete{Grace: 40}}, {Do: scenario.Delete{Grace: 11}}, {Do: scenario.Delete{Grace: 10}}, {Do: kill}, {Do: start}}
	dies := func(s float64, timeout int64) timeline {
		return called(s, 2-s, "StopContainer", "main", &timeout, "Canceled")
	}
	before := slices.Concat(del(0, 40), dies(.1, 40), del(1, 11), dies(1.1, 10), del(1.5, 10), dies(1.6, 9), step(2, kill), step(4, start),
		stop(4.5, "main", 10, 10), finished(70))
	if got := Judge(scenario.Ends, tell("now", before, killed(14.5, "main"), removed(14.6)), s); got.Outcome != scenario.Held {
		t.Errorf("killed at its new deadline: %s: %s", got.Outcome, got.Why)
	}
	if got := Judge(scenario.Ends, tell("now", before), s); got.Outcome != scenario.Broken {
		t.Errorf("never killed: %s: %s", got.Outcome, got.Why)
	}
}

// Garbage collection stops an earlier sandbox of the pod, whose start had failed, at any time.
func TestAnEarlierSandboxDoesNotCount(t *testing.T) {
	of := func(id string, all timeline) timeline {
		for i := range all {
			all[i].Message = "sandbox " + id
		}
		return all
	}
	for id, want := range map[string]scenario.Outcome{"old": scenario.Held, "new": scenario.Broken} {
		h := tell("now", of("new", called(-3, .2, "RunPodSandbox", "", nil, "")), del(0, 1), of(id, sandbox(.5)), stop(.1, "main", 2, 2), killed(2.1, "main"),
			of("new", sandbox(2.2)), removed(2.4), finished(12))
		if got := Judge(scenario.RuntimeCalls, h, row(t, "now")); got.Outcome != want {
			t.Errorf("the %s sandbox is stopped: %s: %s, want %s", id, got.Outcome, got.Why, want)
		}
	}
}

// The event of a kubelet that was killed right after it had sent it is not one of the next kubelet's.
func TestAnEventOfAKilledKubelet(t *testing.T) {
	s := row(t, "now")
	kill, start := scenario.KillKubelet{}, scenario.StartKubelet{}
	s.Steps = []scenario.Step{{Do: scenario.Delete{Grace: 20}}, {Do: kill}, {Do: start}}
	for first, want := range map[float64]scenario.Outcome{.12: scenario.Held, 3.2: scenario.Broken} {
		h := tell("now", del(0, 20), step(.07, kill), killing(first, "main", 1), step(3, start), killing(4.4, "main", 1), stop(4.4, "main", 20, 20),
			killed(24.4, "main"), removed(24.5), finished(40))
		if got := Judge(scenario.Quiet, h, s); got.Outcome != want {
			t.Errorf("the first event at %v s: %s: %s, want %s", first, got.Outcome, got.Why, want)
		}
	}
}

// A shorter request has to wait for the retry of a stop that the runtime refused; a restart of the runtime later changes nothing about it.
func TestShorterRequestsBeforeARestartOfTheRuntime(t *testing.T) {
	s := row(t, "now")
	restart := scenario.RestartRuntime{}
	s.Steps = []scenario.Step{{Do: scenario.Delete{Grace: 25}}, {Do: scenario.Delete{Grace: 6}}, {Do: restart}}
	refused := func(s float64, timeout int64) timeline {
		return called(s, .01, "StopContainer", "main", &timeout, "Unknown")
	}
	for at, want := range map[float64]scenario.Outcome{17: scenario.Held, .3: scenario.Broken} {
		h := tell("now", del(0, 25), refused(.1, 25), del(.5, 6), refused(.6, 6), stop(14.2, "main", 2, 2), step(at, restart), killed(16.5, "main"),
			removed(16.6), finished(40))
		if got := Judge(scenario.Ends, h, s); got.Outcome != want {
			t.Errorf("restarted at %v s: %s: %s, want %s", at, got.Outcome, got.Why, want)
		}
	}
}

// When a sleep began is not recorded: it may end as early as the termination may have begun.
func TestASleepEndsByItself(t *testing.T) {
	s := row(t, "now")
	s.Pod.Containers[0].Hook = &scenario.Hook{Kind: scenario.HookSleep, Takes: time.Second}
	s.Steps = []scenario.Step{{Do: scenario.Delete{Grace: 20}}}
	for at, want := range map[float64]scenario.Outcome{1.03: scenario.Held, .5: scenario.Broken} {
		h := tell("now", del(0, 20), killing(.2, "main", 1), stop(at, "main", 19, 2), ended(at+2, "main", 0), removed(at+2.1), finished(40))
		if got := Judge(scenario.HookOnce, h, s); got.Outcome != want {
			t.Errorf("stopped at %v s: %s: %s, want %s", at, got.Outcome, got.Why, want)
		}
	}
}
