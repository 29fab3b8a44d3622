// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"slices"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Excuse is what a kind of disturbance excuses in the pods that it hits.
type Excuse struct {
	Kind Kind
	// If restricts the excuse to some disturbances of the kind; nil means all.
	If func(d Disturbance) bool
	// When restricts the excuse to some of the pods; nil means all that are being ended meanwhile.
	When func(h history.History, d Disturbance) bool
	// Stalls means that the time of the disturbance, and After of it, counts as the machine's: the judges subtract it from a
	// delay of the kubelet.
	Stalls bool
	After  func(took time.Duration) time.Duration
	// Drops are the rules that are put aside.
	Drops []scenario.Rule
	// Refuses and Slows mean that the pod has a runtime that refuses or is slow, for which property.Rules has the rules.
	Refuses, Slows bool
	Why            string
}

// again is how long a client of the API server may wait before it tries again, after it could not reach it for so long: it doubles
// its pauses, and adds up to as much at random.
func again(took time.Duration) time.Duration { return 2*took + time.Second }

func after(d time.Duration) func(time.Duration) time.Duration {
	return func(time.Duration) time.Duration { return d }
}

// Excuses returns the whole list. What is not in it excuses nothing: a full disk, for one.
func Excuses() []Excuse {
	var all []Excuse
	for _, kind := range []Kind{KubeletStopped, WatchCut, APIRestarted} {
		all = append(all, Excuse{
			Kind: kind, When: crossed, Drops: []scenario.Rule{scenario.ShorterActs, scenario.Zero, scenario.Window},
			Why: "a kubelet that reads several requests at once makes the call for an early one before it has read the others. That it makes a shorter " +
				"one at once is the condition; that the container is down in time is judged (R1)",
		}, Excuse{
			Kind: kind, When: overtaken, Drops: []scenario.Rule{scenario.OnlyShorter},
			Why: "of requests that are read together the calls go out together, and the one for the early request may arrive last. That it makes no difference " +
				"is judged (R1, R6)",
		})
	}
	for _, kind := range []Kind{WatchCut, APIRestarted} {
		all = append(all, Excuse{
			Kind: kind, When: unseen, Drops: []scenario.Rule{scenario.ShorterActs, scenario.Zero, scenario.Window},
			Why: "until a request is seen, calls are made for the earlier ones; the control beside the kubelet, whose watch is cut with the kubelet's, shows " +
				"until when. That the container is down in time is judged (R1)",
		})
	}
	return append(all, []Excuse{{
		Kind: KubeletKilled, Stalls: true, After: after(3 * time.Second),
		Why: "no kubelet acts while none runs, and the next one has to list the pods and the containers first",
	}, {
		Kind: KubeletKilled,
		Drops: []scenario.Rule{scenario.OnlyShorter, scenario.ShorterActs, scenario.Prompt, scenario.HookOnce, scenario.RuntimeCalls, scenario.Kept,
			scenario.NoLeftovers},
		Why: "a restart is a new beginning (R1): the whole grace counts again, a hook runs again, and what the dead kubelet had called is cancelled by its death. " +
			"The deadline from the restart, zero, the window, one TERM, quiet and the end are judged",
	}, {
		Kind: KubeletKilled, When: askedMeanwhile, Drops: []scenario.Rule{scenario.Deadline, scenario.Zero, scenario.Window},
		Why: "the next kubelet sees only the last of several requests, or, if that removed the pod, an orphan, which has a grace of its own",
	}, {
		Kind: KubeletKilled, When: endedBefore, Drops: []scenario.Rule{scenario.Deadline, scenario.Window},
		Why: "a container that ended before the restart had the deadline of the kubelet that died; the judges count from the restart",
	}, {
		Kind: KubeletStopped, Stalls: true, After: after(time.Second),
		Why: "a stopped kubelet acts when it is continued",
	}, {
		Kind: RuntimeRestarted, Stalls: true, After: after(15 * time.Second), Refuses: true,
		Why: "calls fail while the runtime is down, and it forgets its stop timers; the kubelet retries a failed sync after up to 15 s, as on stock. The contract " +
			"excepts TERM",
	}, {
		Kind: APIRestarted, Stalls: true, After: again,
		Why: "a request reaches the kubelet when its watch is back",
	}, {
		Kind: APIRestarted, Drops: []scenario.Rule{scenario.Kept},
		Why: "the recorder's own watch is cut, too, and may miss that the pod was marked before it left",
	}, {
		Kind: APIRestarted, When: forcedMeanwhile,
		Drops: []scenario.Rule{scenario.Deadline, scenario.ShorterActs, scenario.Zero, scenario.Window, scenario.Prompt, scenario.HookOnce},
		Why:   "the kubelet may see only that the pod is gone, and keeps the grace that it knows (R14)",
	}, {
		Kind: WatchCut, Stalls: true, After: again,
		Why: "a request reaches the kubelet when its watch is back",
	}, {
		Kind: WatchCut, When: forcedMeanwhile,
		Drops: []scenario.Rule{scenario.Deadline, scenario.ShorterActs, scenario.Zero, scenario.Window, scenario.Prompt, scenario.HookOnce, scenario.Kept},
		Why:   "the kubelet may see only that the pod is gone, and keeps the grace that it knows (R14)",
	}, {
		Kind: CallFails, If: looks, Stalls: true, After: after(15 * time.Second), Refuses: true,
		Why: "the kubelet cannot see its containers; it retries a failed sync after up to 15 s, as on stock",
	}, {
		Kind: CallHangs, If: looks, Stalls: true, After: after(15 * time.Second), Slows: true,
		Why: "the kubelet waits for what its containers do",
	}, {
		Kind: CallSlow, If: looks, Stalls: true, After: after(time.Second), Slows: true,
		Why: "the kubelet waits for what its containers do",
	}}...)
}

// looks reports whether the fault is in a call that only looks, of which every pod depends. A fault in any other call shows in the
// history of the pod that it struck.
func looks(d Disturbance) bool {
	switch d.Call {
	case "ContainerStatus", "PodSandboxStatus", "ListContainers", "ListPodSandbox":
		return true
	}
	return false
}

// askedMeanwhile reports whether a request came during the disturbance, or before its effects were over.
func askedMeanwhile(h history.History, d Disturbance) bool {
	return slices.ContainsFunc(h.Events, func(e history.Event) bool {
		return e.Kind == history.APIDeleted && d.covers(e.At)
	})
}

// crossed reports whether something was asked during the disturbance, and the kubelet's first stop call for a container after it was
// followed within a second by a shorter one.
func crossed(h history.History, d Disturbance) bool {
	firsts := map[string]history.Event{}
	for _, e := range h.ByTime() {
		if !stops(e) || d.To.IsZero() || e.At.Before(d.To) {
			continue
		}
		first, ok := firsts[e.ContainerID]
		switch {
		case !ok && !e.At.After(d.last(e.At)):
			firsts[e.ContainerID] = e
		case ok && *e.Grace < *first.Grace && e.At.Sub(first.At) < time.Second:
			return askedMeanwhile(h, d)
		}
	}
	return false
}

// unseen reports whether a stop call was made between a shorter request during the disturbance and the moment when the control saw it.
func unseen(h history.History, d Disturbance) bool {
	events := h.ByTime()
	for i, asked := range events {
		if asked.Kind != history.APIDeleted || asked.Grace == nil || !d.covers(asked.At) {
			continue
		}
		later := events[i+1:]
		// The API server may have stored a shorter one.
		saw := slices.IndexFunc(later, func(e history.Event) bool {
			return e.Kind == history.ControlSaw && e.Grace != nil && *e.Grace <= *asked.Grace
		})
		if saw > 0 && slices.ContainsFunc(later[:saw], func(e history.Event) bool { return stops(e) && *e.Grace > *asked.Grace }) {
			return true
		}
	}
	return false
}

// together is how far apart calls may be recorded that the kubelet makes for requests that it reads together.
const together = 100 * time.Millisecond

// overtaken reports whether something was asked during the disturbance, and the kubelet's first stop call for a container since its
// beginning was followed at once by a longer one.
func overtaken(h history.History, d Disturbance) bool {
	firsts := map[string]history.Event{}
	for _, e := range h.ByTime() {
		if !stops(e) || e.At.Before(d.From) {
			continue
		}
		first, ok := firsts[e.ContainerID]
		switch {
		case !ok && !e.At.After(d.last(e.At)):
			firsts[e.ContainerID] = e
		case ok && *e.Grace > *first.Grace && e.At.Sub(first.At) < together:
			return askedMeanwhile(h, d)
		}
	}
	return false
}

// stops reports whether an event is a stop call with a timeout.
func stops(e history.Event) bool {
	return e.Kind == history.CRICall && e.Call == "StopContainer" && e.Grace != nil
}

// forcedMeanwhile is askedMeanwhile for a request with grace 0.
func forcedMeanwhile(h history.History, d Disturbance) bool {
	return slices.ContainsFunc(h.Events, func(e history.Event) bool {
		return e.Kind == history.APIDeleted && e.Grace != nil && *e.Grace == 0 && d.covers(e.At)
	})
}

// endedBefore reports whether a container ended before the disturbance was over.
func endedBefore(h history.History, d Disturbance) bool {
	return slices.ContainsFunc(h.Events, func(e history.Event) bool {
		return e.Kind == history.ContainerExit && !d.To.IsZero() && e.At.Before(d.To)
	})
}

// excuses returns the entries of the list for this disturbance.
func (d Disturbance) excuses() []Excuse {
	return slices.DeleteFunc(Excuses(), func(e Excuse) bool { return e.Kind != d.Kind || e.If != nil && !e.If(d) })
}

// last returns the end of its effects; at if it goes on.
func (d Disturbance) last(at time.Time) time.Time {
	end := d.To
	if end.IsZero() {
		return at
	}
	for _, e := range d.excuses() {
		if e.Stalls {
			if late := d.To.Add(e.After(d.To.Sub(d.From))); late.After(end) {
				end = late
			}
		}
	}
	return end
}

// stalls reports whether its time counts as the machine's.
func (d Disturbance) stalls() bool {
	return slices.ContainsFunc(d.excuses(), func(e Excuse) bool { return e.Stalls })
}

// span is its time, with what comes after it.
func (d Disturbance) span(at time.Time) history.Span {
	return history.Span{From: d.From, To: d.last(at)}
}

// covers reports whether a moment lies in its time, or shortly before it: the kubelet may not have been told yet.
func (d Disturbance) covers(at time.Time) bool {
	return !at.Before(d.From.Add(-time.Second)) && !at.After(d.last(at))
}
