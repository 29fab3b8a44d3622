// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// timeline is one history as a drawing: lanes with points and spans of time. All times count from the first request.
type timeline struct {
	lanes []*lane
	// deadline is the last deadline; nil if the judges found none.
	deadline *time.Duration
}

// lane is one row of a drawing.
type lane struct {
	name, about string
	// lives are the times in which a container's main process was alive, drawn as a thick bar.
	lives  []span
	points []point
	spans  []span
}

// point is an event at one time.
type point struct {
	at    time.Duration
	kind  string // of the symbol and its colour
	label string
	title string
}

// span is an event with a duration.
type span struct {
	from, to time.Duration
	kind     string
	label    string
	title    string
	// due is when a stop call's timeout ends; nil for other calls.
	due *time.Duration
	// call is the runtime call; calls of one kind share a row, so that a dozen probes need only one.
	call string
	// open means that it had not ended when the observation ended.
	open bool
}

// lateness is how a life longer than the contract allows is drawn. Only a judge's finding makes it a fault.
type lateness int

const (
	// unmarked draws nothing: the deadline from the requests may not be the whole story, after a restart of the kubelet say.
	unmarked lateness = iota
	// noted draws it in a quiet colour: it is late, but no rule of the scenario covers it.
	noted
	// faulty draws it as the fault that a judge found, as the catalogue expects.
	faulty
	// alarming draws it as one that the catalogue does not expect.
	alarming
)

// latenessOf returns the lateness of an arm: alarming if a judge found a fault that the catalogue does not expect, faulty if it
// expects it, and noted if the fixed arm shows that it can be avoided.
func latenessOf(run result.Run, s scenario.Scenario, arm verdict.Arm) lateness {
	one, _ := run.Find(s.ID, arm)
	if slices.ContainsFunc(one.Rules, func(r result.Rule) bool { return r.Outcome == scenario.Broken && r.Verdict.Red() }) {
		return alarming
	}
	if slices.ContainsFunc(one.Rules, func(r result.Rule) bool { return r.Outcome == scenario.Broken }) {
		return faulty
	}
	fixed, ok := run.Histories[result.Key{Scenario: s.ID, Arm: verdict.Fixed}]
	if arm != verdict.Stock || !ok {
		return unmarked
	}
	outline, why := judge.Trace(fixed, s)
	if why != "" {
		return unmarked
	}
	for _, e := range fixed.Select(history.ContainerExit) {
		if late, ok := outline.Late[e.Container]; ok && e.At.After(late.Add(outline.Slack)) {
			return unmarked
		}
	}
	return noted
}

// maxLanes limits the containers that are drawn; a scenario with many pods shows the first ones.
const maxLanes = 8

// reader sorts a history into lanes.
type reader struct {
	timeline
	h          history.History
	s          scenario.Scenario // with the times of the history's level
	start, end time.Time
	api, pod   *lane
	containers map[string]*lane
	order      []string
}

// newTimeline returns the timeline of a history. late is how a life longer than the contract allows is drawn.
func newTimeline(h history.History, s scenario.Scenario, late lateness) timeline {
	t := &reader{h: h, s: s.At(scenario.Level(h.Level)), containers: map[string]*lane{},
		api: &lane{name: "API"}, pod: &lane{name: "pod", about: "sandbox, kubelet events"}}
	outline, why := judge.Trace(h, s)
	events := h.ByTime()
	t.start = result.Start(h, s)
	if len(events) > 0 {
		t.end = events[len(events)-1].At
	}
	t.declare()
	t.hooks(events)
	t.calls(events)
	t.moments(events)
	if why == "" {
		t.deadlines(outline)
	}
	t.lives(events, outline, late)
	t.drop()
	t.lanes = append(t.lanes, t.api)
	for i, name := range t.order {
		if i == maxLanes {
			t.pod.about = fmt.Sprintf("%d more containers are not drawn", len(t.order)-i)
			break
		}
		t.lanes = append(t.lanes, t.containers[name])
	}
	t.lanes = append(t.lanes, t.pod)
	return t.timeline
}

func (t *reader) since(at time.Time) time.Duration { return at.Sub(t.start) }

// declare creates the lanes of the scenario's own containers, in stop order.
func (t *reader) declare() {
	for _, c := range t.s.Pod.Containers {
		t.lane(history.Event{Pod: t.h.Pod, Container: c.Name}).about = behaviour(c, false)
	}
	for i := len(t.s.Pod.Sidecars) - 1; i >= 0; i-- {
		c := t.s.Pod.Sidecars[i]
		t.lane(history.Event{Pod: t.h.Pod, Container: c.Name}).about = behaviour(c, true)
	}
}

// lane returns the lane of an event.
func (t *reader) lane(e history.Event) *lane {
	if e.Container == "" {
		return t.pod
	}
	name := e.Container
	if e.Pod != "" && t.h.Pod != "" && !t.own(e.Pod) {
		name = e.Pod + "/" + name
	}
	if t.containers[name] == nil {
		t.containers[name] = &lane{name: name}
		t.order = append(t.order, name)
	}
	return t.containers[name]
}

// own reports whether a pod is the scenario's own. A static pod's name has the node's name as a suffix.
func (t *reader) own(pod string) bool {
	return pod == t.h.Pod || t.s.Pod.Static && strings.HasPrefix(pod, t.h.Pod+"-")
}

// behaviour describes the behaviour of a container.
func behaviour(c scenario.Container, sidecar bool) string {
	var words []string
	if sidecar {
		words = append(words, "sidecar")
	}
	switch {
	case c.Stubborn:
		words = append(words, "ignores TERM")
	case c.ExitAfter > 0:
		words = append(words, "ends "+inSeconds(c.ExitAfter)+" after TERM")
	default:
		words = append(words, "ends on TERM")
	}
	if hook := c.Hook; hook != nil {
		switch {
		case hook.Takes > 0:
			words = append(words, fmt.Sprintf("%s hook of %s", hook.Kind, inSeconds(hook.Takes)))
		default:
			words = append(words, fmt.Sprintf("%s hook without end", hook.Kind))
		}
	}
	return strings.Join(words, ", ")
}

// deadlines draws the deadline and its changes.
func (t *reader) deadlines(o judge.Outline) {
	for i, d := range o.Deadlines {
		last := i == len(o.Deadlines)-1
		if !last && o.Deadlines[i+1].At.Equal(d.At) {
			continue // the next request changed nothing; draw the last of the equal ones, from the time of the first
		}
		asked := d.Asked
		for j := i - 1; j >= 0 && o.Deadlines[j].At.Equal(d.At); j-- {
			asked = o.Deadlines[j].Asked
		}
		at := t.since(d.At)
		one := span{from: t.since(asked), to: at, kind: "deadline", label: "deadline at " + inSeconds(at.Round(100*time.Millisecond)),
			title: fmt.Sprintf("deadline: first request + %d s", d.Grace)}
		if d.At.Equal(d.Asked) {
			one.label, one.title = "deadline: now", "the deadline had passed when this was asked for, so it is now"
		}
		if !last {
			one.kind, one.label = "deadline was", one.label+", replaced"
		} else {
			t.deadline = &at
		}
		t.api.spans = append(t.api.spans, one)
	}
}

// lives draws the life of each container and how much longer it was than allowed.
func (t *reader) lives(events []history.Event, o judge.Outline, as lateness) {
	begun := t.alive(events)
	live := func(l *lane, name string, to time.Time, open bool) {
		one := span{from: max(0, t.since(begun[l])), to: t.since(to), kind: "life", open: open,
			title: fmt.Sprintf("%s lived until %s", l.name, inSeconds(t.since(to)))}
		l.lives = append(l.lives, one)
		late, ok := o.Late[name]
		if !ok || name != l.name {
			return
		}
		if end := min(t.since(late), t.since(to)); t.deadline != nil && end > *t.deadline {
			l.lives = append(l.lives, span{from: *t.deadline, to: end, kind: "window",
				title: fmt.Sprintf("the contract allows the kill until %s", inSeconds(t.since(late)))})
		}
		if as != unmarked && to.After(late.Add(o.Slack)) {
			over := t.since(to) - t.since(late)
			kind := "overdue"
			switch as {
			case noted:
				kind = "overdue quiet"
			case alarming:
				kind = "overdue alarm"
			}
			l.lives = append(l.lives, span{from: t.since(late), to: t.since(to), kind: kind, open: open,
				label: inSeconds(over.Round(100*time.Millisecond)) + " too long",
				title: fmt.Sprintf("alive %s longer than the contract allows", inSeconds(over))})
		}
	}
	for _, e := range events {
		if e.Container == "" || e.At.Before(t.start) {
			continue
		}
		l := t.lane(e)
		_, alive := begun[l]
		switch {
		case e.Kind == history.ContainerExit && alive:
			live(l, e.Container, e.At, false)
			delete(begun, l)
		case e.Kind == history.CRIReturn && e.Call == "StartContainer" && e.Error == "" && !alive:
			begun[l] = e.At
		}
	}
	for _, name := range t.order {
		if l := t.containers[name]; !begun[l].IsZero() {
			live(l, name, t.end, true)
		}
	}
	for _, l := range t.containers {
		slices.SortStableFunc(l.points, func(a, b point) int { return cmp.Compare(a.at, b.at) })
	}
}

// alive returns the containers that were alive at the first request. A history cut down to the events after it has no start
// events; then the scenario's own containers were alive, because it was armed.
func (t *reader) alive(events []history.Event) map[*lane]time.Time {
	begun := map[*lane]time.Time{}
	told := map[*lane]bool{}
	for _, e := range events {
		if e.Container == "" {
			continue
		}
		switch l := t.lane(e); {
		case e.Kind == history.CRIReturn && e.Call == "StartContainer" && e.Error == "",
			e.Kind == history.Line && e.Reason == "START":
			told[l] = true
			if !e.At.After(t.start) {
				begun[l] = t.start
			}
		case e.Kind == history.ContainerExit && e.At.Before(t.start):
			delete(begun, l)
		}
	}
	for _, c := range t.s.Pod.All() {
		l := t.containers[c.Name]
		if !told[l] && !t.s.Pulls() && !t.s.Bursts() && len(t.h.Select(history.Armed)) > 0 {
			begun[l] = t.start
		}
	}
	return begun
}

// drop removes the lanes of containers without anything to draw.
func (t *reader) drop() {
	t.order = slices.DeleteFunc(t.order, func(name string) bool {
		l := t.containers[name]
		return len(l.lives)+len(l.points)+len(l.spans) == 0
	})
}

// moments returns the times that determine the axis: all shapes except deadlines, which may lie far beyond the events.
func (s timeline) moments() []time.Duration {
	var all []time.Duration
	for _, l := range s.lanes {
		for _, p := range l.points {
			all = append(all, p.at)
		}
		for _, sp := range slices.Concat(l.lives, l.spans) {
			if !strings.HasPrefix(sp.kind, "deadline") && sp.kind != "window" {
				all = append(all, sp.from, sp.to)
			}
		}
	}
	return all
}
