// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// made returns a history in virtual time, event by event: seconds after the first request, and the event.
type made struct{ h history.History }

func newMade(s scenario.Scenario, arm verdict.Arm) *made {
	m := &made{history.History{Header: history.Header{Scenario: s.ID, Arm: string(arm), Level: "sim", Pod: s.ID}}}
	m.add(0, history.Event{Kind: history.Armed})
	return m
}

func (m *made) add(at float64, e history.Event) *made {
	e.At = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(at * float64(time.Second)))
	if e.Pod == "" {
		e.Pod = m.h.Pod
	}
	m.h.Events = append(m.h.Events, e)
	return m
}

func (m *made) delete(at float64, grace int64) *made {
	m.add(at, history.Event{Kind: history.APIDelete, Grace: &grace})
	return m.add(at, history.Event{Kind: history.APIDeleted, Grace: &grace})
}

func (m *made) call(from, to float64, id int64, e history.Event) *made {
	e.CallID = id
	call, back := e, e
	call.Kind, back.Kind, call.Error = history.CRICall, history.CRIReturn, ""
	m.add(from, call)
	if to >= from {
		m.add(to, back)
	}
	return m
}

func (m *made) exit(at float64, container string, code int32) *made {
	return m.add(at, history.Event{Kind: history.ContainerExit, Container: container, ExitCode: &code})
}

func (m *made) line(at float64, container, word string) *made {
	return m.add(at, history.Event{Kind: history.Line, Container: container, Reason: word})
}

func (m *made) finished(at float64) history.History {
	m.add(at, history.Event{Kind: history.Finished})
	return m.h
}

// told formats a timeline, one line for each element.
func told(s timeline) []string {
	var lines []string
	for _, l := range s.lanes {
		for _, one := range l.lives {
			lines = append(lines, fmt.Sprintf("%s: %s %v-%v%s", l.name, one.kind, one.from, one.to, labelled(one.label, one.open)))
		}
		for _, p := range l.points {
			lines = append(lines, fmt.Sprintf("%s: %s %v %q", l.name, p.kind, p.at, p.label))
		}
		for _, one := range l.spans {
			due := ""
			if one.due != nil {
				due = fmt.Sprintf(" due %v", *one.due)
			}
			lines = append(lines, fmt.Sprintf("%s: %s %v-%v%s%s", l.name, one.kind, one.from, one.to, labelled(one.label, one.open), due))
		}
	}
	return lines
}

func labelled(label string, open bool) string {
	text := ""
	if label != "" {
		text = fmt.Sprintf(" %q", label)
	}
	if open {
		text += " open"
	}
	return text
}

func stubborn(id string, grace int64, hook *scenario.Hook, steps ...scenario.Step) scenario.Scenario {
	return scenario.Scenario{ID: id, Pod: scenario.Pod{Grace: grace, Containers: []scenario.Container{{Name: "main", Stubborn: true, Hook: hook}}},
		Steps: steps, Levels: []scenario.Level{scenario.LevelSim}}
}

func TestTimelineOfAShortening(t *testing.T) {
	s := stubborn("a", 60, nil, scenario.Step{Do: scenario.Delete{Grace: 60}}, scenario.Step{After: 3 * time.Second, Do: scenario.Delete{Grace: 5}},
		scenario.Step{After: 4 * time.Second, Do: scenario.Delete{Grace: 60}})
	h := newMade(s, verdict.Fixed).delete(0, 60).
		call(0, 5, 1, history.Event{Call: "StopContainer", Container: "main", Grace: history.Seconds(60), Error: "Canceled: context canceled"}).
		line(0, "main", "TERM").delete(3, 5).delete(4, 60).
		call(3, -1, 2, history.Event{Call: "StopContainer", Container: "main", Grace: history.Seconds(2)}).
		exit(5, "main", 137).finished(6)
	want := []string{
		`API: ask 0s "delete (60 s)"`, `API: ask 3s "delete (5 s)"`, `API: ask 4s "delete (60 s)"`,
		`API: deadline was 0s-1m0s "deadline at 60 s, replaced"`, `API: deadline 3s-5s "deadline at 5 s"`,
		`main: life 0s-5s`,
		`main: term 0s "TERM"`, `main: kill 5s "KILL at 5 s"`,
		`main: call stop failed 0s-5s "StopContainer(60) Canceled" due 1m0s`, `main: call stop 3s-6s "StopContainer(2)" open due 5s`,
	}
	got := told(newTimeline(h, s, faulty))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestTimelineOfTooLong checks that the same life is drawn as a fault, a note or nothing, depending on the judge and the other
// arm.
func TestTimelineOfTooLong(t *testing.T) {
	s := stubborn("a", 60, nil, scenario.Step{Do: scenario.Delete{Grace: 60}}, scenario.Step{After: 3 * time.Second, Do: scenario.Force{}})
	late := newMade(s, verdict.Stock).delete(0, 60).delete(3, 0).exit(60, "main", 137).finished(61)
	prompt := newMade(s, verdict.Fixed).delete(0, 60).delete(3, 0).exit(3, "main", 137).finished(4)
	for name, c := range map[string]struct {
		outcome scenario.Outcome
		fixed   history.History
		want    string
	}{
		"a judge says so":       {scenario.Broken, prompt, `main: overdue 3s-1m0s "57 s too long"`},
		"no rule asks":          {scenario.Held, prompt, `main: overdue quiet 3s-1m0s "57 s too long"`},
		"the fixed arm as well": {scenario.Held, late, ""},
	} {
		run := result.Run{Results: result.Results{Results: []result.Result{{Scenario: "a", Arm: verdict.Stock,
			Rules: []result.Rule{{Finding: judge.Finding{Rule: "R1", Outcome: c.outcome}}}}}},
			Histories: map[result.Key]history.History{{Scenario: "a", Arm: verdict.Stock}: late, {Scenario: "a", Arm: verdict.Fixed}: c.fixed}}
		got := strings.Join(told(newTimeline(late, s, latenessOf(run, s, verdict.Stock))), "\n")
		if c.want != "" && !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "overdue") {
			t.Errorf("%s: want %q in\n%s", name, c.want, got)
		}
	}
}

func TestTimelineOfHooks(t *testing.T) {
	exec := &scenario.Hook{Kind: scenario.HookExec}
	sleep := &scenario.Hook{Kind: scenario.HookSleep, Takes: 50 * time.Second}
	for name, c := range map[string]struct {
		hook *scenario.Hook
		what func(*made)
		want string
	}{
		"done":      {exec, func(m *made) { m.line(0, "main", "HOOK-START").line(1, "main", "HOOK-END") }, `main: hook 0s-1s "preStop hook, done"`},
		"http, cut": {exec, func(m *made) { m.line(0, "main", "HTTP-START").line(3, "main", "HTTP-GONE") }, `main: hook 0s-3s "preStop hook, cut"`},
		"exec, cut": {exec, func(m *made) {
			m.line(0, "main", "HOOK-START").call(0, 3, 1, history.Event{Call: "ExecSync", Container: "main", Error: "Canceled"})
		}, `main: hook 0s-3s "preStop hook, cut"`},
		"died": {exec, func(m *made) { m.line(0, "main", "HOOK-START") }, `main: hook 0s-5s "preStop hook, died with it"`},
		"two": {exec, func(m *made) {
			m.line(0, "main", "HOOK-START").line(1, "main", "HOOK-END").line(2, "main", "HOOK-START")
		}, `main: hook 2s-5s`},
		"no traces": {sleep, func(m *made) {
			m.add(0, history.Event{Kind: history.KubeletEvent, Container: "main", Reason: "Killing"})
			m.call(3, 5, 1, history.Event{Call: "StopContainer", Container: "main", Grace: history.Seconds(2)})
		}, `main: hook guessed 0s-3s "sleep hook"`},
	} {
		s := stubborn("a", 60, c.hook, scenario.Step{Do: scenario.Delete{Grace: 60}})
		m := newMade(s, verdict.Fixed).delete(0, 60)
		c.what(m)
		got := strings.Join(told(newTimeline(m.exit(5, "main", 137).finished(6), s, unmarked)), "\n")
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: want %q in\n%s", name, c.want, got)
		}
	}
}

// TestTimelineOfMore checks restarts, manifests, evictions, second lives, containers that never started and other pods.
func TestTimelineOfMore(t *testing.T) {
	s := stubborn("a", 20, nil, scenario.Step{Do: scenario.RemoveManifest{}})
	s.Pod.Static = true
	s.Faults = []scenario.Fault{{Call: "PullImage", Delay: time.Second}}
	started := history.Event{Call: "StartContainer", Container: "main", Pod: "a-node"}
	m := newMade(s, verdict.Fixed).
		add(0, history.Event{Kind: history.Manifest, Reason: "REMOVED"}).
		add(1, history.Event{Kind: history.Step, Reason: "kubelet killed"}).
		add(2, history.Event{Kind: history.Step, Reason: "watch cut", Error: "no wire"}).
		add(2, history.Event{Kind: history.KubeletKill, Grace: history.Seconds(1), CallID: 1}).
		call(3, 4, 1, started).
		add(5, history.Event{Kind: history.KubeletKilled, CallID: 1, Error: "DeadlineExceeded: late"})
	code := int32(1)
	m.add(6, history.Event{Kind: history.ContainerExit, Container: "main", Pod: "a-node", ExitCode: &code})
	m.call(7, 8, 2, started)
	m.add(8, history.Event{Kind: history.Line, Container: "main", Pod: "other", Reason: "PROBE"})
	m.add(9, history.Event{Kind: history.Line, Container: "main", Pod: "other", Reason: "PROBE"})
	want := []string{
		`API: step 0s "manifest removed"`, `API: step 1s "kubelet killed"`, `API: event warn 2s "watch cut failed"`,
		`API: call failed 2s-5s "kill by the kubelet (1 s) DeadlineExceeded"`,
		`main: life 4s-6s`, `main: life 8s-10s open`,
		`main: exit 6s "exit 1 at 6 s"`,
		`other/main: line 8s "PROBE"`, `other/main: line 9s ""`,
	}
	if diff := cmp.Diff(want, told(newTimeline(m.finished(10), s, unmarked))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTimelineDrawsNotEveryPodOfABurst(t *testing.T) {
	s := stubborn("a", 1, nil, scenario.Step{Do: scenario.Burst{Pods: 30, Grace: 1}})
	m := newMade(s, verdict.Fixed)
	for i := range 30 {
		m.add(float64(i), history.Event{Kind: history.Line, Container: "main", Pod: fmt.Sprintf("a-%d", i), Reason: "TERM"})
	}
	m.add(31, history.Event{Kind: history.APIPod, Reason: "DELETED", Pod: "a-13"})
	got := newTimeline(m.finished(40), s, unmarked)
	if want := `API: gone 31s "…-13 gone"`; !slices.Contains(told(got), want) {
		t.Errorf("the page has no %s: %q", want, told(got))
	}
	if len(got.lanes) != maxLanes+2 {
		t.Errorf("%d lanes", len(got.lanes))
	}
	if about := got.lanes[len(got.lanes)-1].about; !strings.Contains(about, "22 more containers are not drawn") {
		t.Errorf("the page does not mention it: %q", about)
	}
}
