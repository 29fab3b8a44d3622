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

package judge

import (
	"fmt"
	"slices"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// The kubelet is late when it acts after a bound and its slack. Whether the machine can explain that is read off a control, which
// waits as the kubelet waits at the same moments (package control), and off the runtime's own calls and looks, for which the kubelet has to
// wait too. Only the time in which neither was kept waiting counts against the kubelet. What then is no longer late is invalid:
// nobody can tell whose fault it was. What still is late is red; so a kubelet that is a minute late is red on the slowest machine.

// accuracy is that with which a delay is worked out, longest the longest delay that is told from "never".
const (
	accuracy = 10 * time.Millisecond
	longest  = 10 * time.Minute
)

// explain turns a broken rule into an invalid one if the machine may explain it. judge is the judge that found it.
func (f *facts) explain(judge func(*facts) Finding, found Finding) Finding {
	if f.Slack == 0 || found.Outcome != scenario.Broken {
		return found
	}
	late, ok := f.missedBy(judge)
	if !ok {
		return found // no delay can turn it into anything else
	}
	act := found.At
	if judge(f.with(accuracy)).At.Sub(act) == accuracy {
		act = act.Add(late) // what was found is a bound by which nothing was done
	}
	// A death that is late may have been asked for a window before.
	lost := f.lost(act.Add(-late-f.Slack-f.Acts-f.Window), act)
	if lost < late {
		found.Why += fmt.Sprintf("; late by %.1f s, of which the machine explains %.1f s", late.Seconds(), lost.Seconds())
		return found
	}
	return invalid("late by %.1f s, and the machine kept a program that waits as the kubelet does, or the runtime it waited for, "+
		"busy for %.1f s meanwhile: %s", late.Seconds(), lost.Seconds(), found.Why)
}

// with returns the facts for a machine that may take more time.
func (f *facts) with(more time.Duration) *facts {
	g := *f
	g.Slack += more
	g.carried = new(time.Duration)
	return &g
}

// missedBy returns how much more time would have had to be allowed for the rule not to be broken; false if no time is enough.
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

// lost is how much time the machine took: in the stretch before an act, and before the first thing that the kubelet did at all,
// because from that all deadlines count.
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

// waits are the stretches in which the control was kept waiting, or a look at the runtime took long, in which a change had been shown to the harness and not to the
// control, and in which the runtime carried out a call about the pod. A call that never returned explains nothing.
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
		case "ExecSync", "Exec", "PullImage": // take what their command takes, or the registry
			continue
		}
		switch e.Kind {
		case history.CRICall:
			if e.Reason != "" {
				continue // the scenario makes it fail or hang
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

// controlSaw returns when the control saw what the harness saw of a request; false if either saw nothing.
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
