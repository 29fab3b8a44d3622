// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// together is the maximum distance of equal kubelet events that are drawn as one.
const together = 250 * time.Millisecond

// calls draws the runtime calls that stop or run something: a bar from call to return.
func (t *reader) calls(events []history.Event) {
	type open struct {
		lane *lane
		at   int
	}
	pending := map[int64]open{}
	seen := map[*lane]map[string]int{}
	for _, e := range events {
		switch {
		case e.Kind == history.KubeletKill:
			label := "kill by the kubelet"
			if e.Grace != nil {
				label = fmt.Sprintf("kill by the kubelet (%d s)", *e.Grace)
			}
			pending[inKubelet(e)] = open{t.api, len(t.api.spans)}
			t.api.spans = append(t.api.spans, span{from: t.since(e.At), to: t.since(t.end), open: true, kind: "call", label: label})
		case e.Kind == history.CRICall && drawn(e.Call):
			l := t.lane(e)
			one := span{from: t.since(e.At), to: t.since(t.end), open: true, kind: "call", label: e.Call, call: e.Call}
			if e.Call == "StopContainer" {
				var timeout int64
				if e.Grace != nil {
					timeout = *e.Grace
				}
				due := one.from + time.Duration(min(timeout, forever))*time.Second
				one.kind, one.label, one.due = "call stop", fmt.Sprintf("StopContainer(%d)", timeout), &due
			} else if l.counts(seen, e.Call) > 1 {
				// There may be dozens of probes: label only the first.
				one.label = ""
			}
			l.spans = append(l.spans, one)
			pending[e.CallID] = open{l, len(l.spans) - 1}
		case e.Kind == history.CRIReturn, e.Kind == history.KubeletKilled:
			id := e.CallID
			if e.Kind == history.KubeletKilled {
				id = inKubelet(e)
			}
			p, ok := pending[id]
			if !ok {
				continue
			}
			delete(pending, id)
			one := &p.lane.spans[p.at]
			one.to, one.open = t.since(e.At), false
			if e.Error != "" {
				code, _, _ := strings.Cut(e.Error, ":")
				one.kind += " failed"
				if one.label != "" {
					one.label += " " + strings.TrimSpace(code)
				}
			}
		}
	}
	for _, l := range append(t.lanesNow(), t.pod, t.api) {
		kept := l.spans[:0]
		for _, one := range l.spans {
			if one.to < 0 {
				continue // a probe before the first request
			}
			if strings.HasPrefix(one.kind, "call") {
				one.title = callTitle(one)
			}
			kept = append(kept, one)
		}
		l.spans = kept
	}
}

// inKubelet separates the numbers of calls inside the kubelet from those of runtime calls.
func inKubelet(e history.Event) int64 { return -1 - e.CallID }

// drawn reports whether a drawing shows a runtime call.
func drawn(call string) bool {
	switch call {
	case "StopContainer", "StopPodSandbox", "ExecSync", "Exec", "PullImage":
		return true
	}
	return false
}

func (l *lane) counts(seen map[*lane]map[string]int, call string) int {
	if seen[l] == nil {
		seen[l] = map[string]int{}
	}
	seen[l][call]++
	return seen[l][call]
}

func (t *reader) lanesNow() []*lane {
	var all []*lane
	for _, name := range t.order {
		all = append(all, t.containers[name])
	}
	return all
}

func callTitle(one span) string {
	name := one.label
	if name == "" {
		name = "runtime call"
	}
	title := fmt.Sprintf("%s, sent at %s", name, inSeconds(one.from))
	if one.due != nil {
		title += fmt.Sprintf(", its timeout ends at %s", inSeconds(*one.due))
	}
	if one.open {
		return title + ", never returned"
	}
	return title + fmt.Sprintf(", returned at %s", inSeconds(one.to))
}

// moments draws requests, removals, signals, exits and kubelet events.
func (t *reader) moments(events []history.Event) {
	last := map[string]int{} // index of the last kubelet event of a reason
	count := map[string]int{}
	terms := map[*lane]int{}
	asked := -1 // the request without a response
	for _, e := range events {
		at := t.since(e.At)
		add := func(l *lane, kind, label, title string) {
			if title == "" {
				title = label
			}
			l.points = append(l.points, point{at: at, kind: kind, label: label, title: title + " at " + inSeconds(at)})
		}
		switch e.Kind {
		case history.APIDelete:
			add(t.api, "ask", asks(e), "DELETE sent: "+asks(e))
			asked = len(t.api.points) - 1
		case history.APIDeleted:
			if e.Error != "" && asked >= 0 {
				t.api.points[asked].label += ", refused"
				t.api.points[asked].title += "; the API server refused it: " + e.Error
			}
		case history.APIPod:
			if e.Reason == "DELETED" {
				label := "object gone"
				if e.Pod != "" && !t.own(e.Pod) {
					// The pods of a row share its name, which leaves no room for the rest on a phone.
					label = strings.Replace(e.Pod, t.s.ID+"-", "…-", 1) + " gone"
				}
				add(t.api, "gone", label, "the pod "+e.Pod+" left the API")
			}
		case history.ContainerExit:
			if at < 0 {
				continue
			}
			kind, label := "exit", "ended"
			if e.ExitCode != nil {
				label = fmt.Sprintf("exit %d", *e.ExitCode)
				if *e.ExitCode == 137 {
					kind, label = "kill", "KILL"
				}
			}
			add(t.lane(e), kind, label+" at "+inSeconds(at), "main process of "+e.Container+": "+label)
		case history.Line:
			l := t.lane(e)
			switch e.Reason {
			case "TERM":
				terms[l]++
				label := "TERM"
				if terms[l] > 1 {
					label = fmt.Sprintf("TERM no. %d", terms[l])
				}
				add(l, "term", label, "the container got TERM")
			case "START", "EXIT", "EOF", "HOOK-START", "HOOK-END", "HTTP-START", "HTTP-GONE":
			default:
				if at < 0 {
					continue
				}
				label := e.Reason
				if count[l.name+label]++; count[l.name+label] > 1 {
					label = ""
				}
				add(l, "line", label, "the container says "+e.Reason)
			}
		case history.KubeletEvent:
			if at < -together {
				continue
			}
			if i, ok := last[e.Reason]; ok && at-t.pod.points[i].at < together {
				count[e.Reason]++
				t.pod.points[i].label = fmt.Sprintf("%s ×%d", e.Reason, count[e.Reason])
				continue
			}
			kind := "event"
			if strings.HasPrefix(e.Reason, "Failed") {
				kind = "event warn"
			}
			last[e.Reason], count[e.Reason] = len(t.pod.points), 1
			add(t.pod, kind, e.Reason, "kubelet event "+e.Reason)
		case history.KubeletLeft:
			add(t.pod, "event warn", "left behind", "the kubelet still has a record of the kill")
		case history.Abandoned:
			add(t.api, "event warn", "given up", "given up: "+e.Message)
		case history.Step:
			if e.Error != "" {
				add(t.api, "event warn", e.Reason+" failed", e.Reason+" could not be carried out: "+e.Error)
				continue
			}
			add(t.api, "step", e.Reason, "")
		case history.KubeletBegan:
			add(t.api, "event", "termination begins", "")
		case history.KubeletAgain:
			add(t.api, "event", "another sync", "the next terminating sync of the pod")
		case history.Manifest:
			add(t.api, "step", "manifest "+strings.ToLower(e.Reason), "")
		case history.CRICall, history.CRIReturn, history.KubeletKill, history.KubeletKilled, history.APIContainer,
			history.Armed, history.Finished, history.ControlLate, history.ControlSaw, history.CRISlow:
		default:
			// Draw events that this page does not know, such as a restart of the kubelet, by their names.
			add(t.api, "event", unknown(e), "")
		}
	}
}

// forever is a timeout in seconds that no drawing can show.
const forever = 1 << 32

// asks describes the request of a DELETE.
func asks(e history.Event) string {
	switch {
	case e.Grace == nil:
		return "delete"
	case *e.Grace == 0:
		return "force (0 s)"
	default:
		return fmt.Sprintf("delete (%d s)", *e.Grace)
	}
}

func unknown(e history.Event) string {
	_, name, _ := strings.Cut(string(e.Kind), ".")
	for _, more := range []string{e.Reason, e.Message} {
		if more != "" {
			return name + " " + more
		}
	}
	return name
}

// hooks draws preStop hooks: from the container's own lines to their end or cancellation.
func (t *reader) hooks(events []history.Event) {
	running := map[*lane]int{}
	end := func(l *lane, at time.Time, how string) {
		i, ok := running[l]
		if !ok {
			return
		}
		delete(running, l)
		one := &l.spans[i]
		one.to, one.open = t.since(at), false
		one.label += how
		one.title = fmt.Sprintf("%s from %s to %s", one.label, inSeconds(one.from), inSeconds(one.to))
	}
	for _, e := range events {
		if e.Container == "" || t.since(e.At) < 0 {
			continue
		}
		l := t.lane(e)
		switch {
		case e.Kind == history.Line && (e.Reason == "HOOK-START" || e.Reason == "HTTP-START"):
			running[l] = len(l.spans)
			l.spans = append(l.spans, span{from: t.since(e.At), to: t.since(t.end), kind: "hook", label: "preStop hook", open: true})
		case e.Kind == history.Line && e.Reason == "HOOK-END":
			end(l, e.At, ", done")
		case e.Kind == history.Line && e.Reason == "HTTP-GONE":
			end(l, e.At, ", cut")
		case e.Kind == history.CRIReturn && e.Call == "ExecSync" && e.Error != "":
			end(l, e.At, ", cut")
		case e.Kind == history.ContainerExit:
			end(l, e.At, ", died with it")
		}
	}
	for _, c := range t.s.Pod.All() {
		if c.Hook != nil && c.Hook.Kind == scenario.HookSleep {
			t.sleep(c, events)
		}
	}
}

// sleep draws a sleep hook. It is not recorded itself: it lies between the first sign of the kill and the first stop call.
func (t *reader) sleep(c scenario.Container, events []history.Event) {
	l := t.lane(history.Event{Pod: t.h.Pod, Container: c.Name})
	var from, to *time.Duration
	for _, e := range events {
		at := t.since(e.At)
		switch {
		case e.Container != c.Name || at < 0:
		case e.Kind == history.KubeletEvent && e.Reason == "Killing" && from == nil:
			from = &at
		case e.Kind == history.CRICall && e.Call == "StopContainer" && to == nil:
			to = &at
		}
	}
	if from == nil || to == nil || *to <= *from {
		return
	}
	l.spans = append(l.spans, span{from: *from, to: *to, kind: "hook guessed", label: "sleep hook",
		title: "a sleep hook is not recorded; it lies between the Killing event and the stop call"})
}
