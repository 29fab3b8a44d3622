// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"fmt"
	"slices"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// The kubelet is late when it acts after a bound plus its slack. Two sources show whether the machine explains the delay: a
// control, which waits at the same moments as the kubelet (package control), and the runtime calls that the kubelet has to wait
// for. Only the time in which neither was delayed counts against the kubelet. If the remaining delay is no longer late, the
// finding is Invalid, because the cause is unknown. If it still is, the finding is red; a kubelet that is a minute late is red
// even on the slowest machine.

// accuracy is the resolution of a computed delay; longest is the longest delay that is distinguished from "never".
const (
	accuracy = 10 * time.Millisecond
	longest  = 10 * time.Minute
)

// explain makes a broken finding Invalid if the machine may explain it. judge is the judge that returned it.
func (f *facts) explain(judge func(*facts) Finding, found Finding) Finding {
	if f.Slack == 0 || found.Outcome != scenario.Broken {
		return found
	}
	late, ok := f.missedBy(judge)
	if !ok {
		return found // broken with any slack, so lateness is not the cause
	}
	act := found.At
	if judge(f.with(accuracy)).At.Sub(act) == accuracy {
		act = act.Add(late) // the finding's time is a bound that passed without an action
	}
	// A late death may have been requested one window earlier.
	lost := f.lost(act.Add(-late-f.Slack-f.Acts-f.Window), act)
	if lost < late {
		found.Why += fmt.Sprintf("; late by %.1f s, of which the machine explains %.1f s", late.Seconds(), lost.Seconds())
		return found
	}
	return invalid("late by %.1f s, but the control or the runtime was delayed by %.1f s meanwhile: %s",
		late.Seconds(), lost.Seconds(), found.Why)
}

// with returns the facts with more slack.
func (f *facts) with(more time.Duration) *facts {
	g := *f
	g.Slack += more
	g.carried = new(time.Duration)
	return &g
}

// missedBy returns the smallest extra slack with which the rule holds; false if no slack is enough.
func (f *facts) missedBy(judge func(*facts) Finding) (time.Duration, bool) {
	broken := func(more time.Duration) bool { return judge(f.with(more)).Outcome == scenario.Broken }
	if broken(longest) {
		return 0, false
	}
	lo, hi := time.Duration(0), longest
	for hi-lo > accuracy {
		if mid := lo + (hi-lo)/2; broken(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi, true
}

// lost returns how much time the machine lost between from and to, and before the kubelet's first action, from which all
// deadlines count.
func (f *facts) lost(from, to time.Time) time.Duration {
	waits := f.waits()
	if len(f.requests) == 0 {
		return history.Covered(waits, from, to)
	}
	told := f.requests[0].told
	first := f.firstAct(told, f.finished)
	switch {
	case first.IsZero() || !told.Before(from):
		return history.Covered(waits, from, to)
	case first.Before(from):
		return history.Covered(waits, told, first) + history.Covered(waits, from, to)
	default:
		return history.Covered(waits, told, to)
	}
}

// waits returns the spans in which the control was delayed, in which a read-only runtime call was slow, in which the
// harness had seen a change but the control had not, and in which the runtime carried out a call about the pod. A call that
// never returned explains nothing.
func (f *facts) waits() []history.Span {
	all := history.Lost(f.events)
	for _, r := range f.requests {
		if seen, ok := f.controlSaw(r); ok {
			all = append(all, history.Span{From: r.told, To: seen})
		}
	}
	calls := map[int64]time.Time{}
	for _, e := range f.events {
		switch e.Call {
		case "ExecSync", "Exec", "PullImage": // as slow as their command, or the registry
			continue
		}
		switch e.Kind {
		case history.CRICall:
			if e.Reason != "" {
				continue // failed or hung by the scenario
			}
			calls[e.CallID] = e.At
			if e.Call == "StopContainer" && e.Grace != nil {
				calls[e.CallID] = e.At.Add(seconds(*e.Grace))
			}
		case history.CRIReturn:
			if begun, ok := calls[e.CallID]; ok && begun.Before(e.At) {
				all = append(all, history.Span{From: begun, To: e.At})
			}
			delete(calls, e.CallID)
		}
	}
	return all
}

// controlSaw returns when the control saw the same change by a request as the harness; false if either saw none.
func (f *facts) controlSaw(r request) (time.Time, bool) {
	shown := slices.IndexFunc(f.podEvents, func(e history.Event) bool { return e.At.Equal(r.told) })
	if shown < 0 {
		return time.Time{}, false
	}
	gone, grace := f.podEvents[shown].Reason == "DELETED", f.podEvents[shown].Grace
	for _, e := range f.events {
		if e.Kind != history.ControlSaw || e.At.Before(r.sent) || gone != (e.Reason == "DELETED") {
			continue
		}
		if gone || e.Grace != nil && grace != nil && *e.Grace == *grace {
			return e.At, true
		}
	}
	return time.Time{}, false
}
