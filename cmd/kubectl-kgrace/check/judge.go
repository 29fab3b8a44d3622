// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"strings"
	"time"
)

const (
	// tolerance is how far behind its deadline a fixed kubelet may be.
	tolerance = 2 * time.Second
	// maxOverhead is the limit of the overhead of node and API server; above it there is no verdict.
	maxOverhead = 8 * time.Second
	// early is how far before the end of the old grace period a process that lived it out may seem to end: its words are 0.2 s
	// apart, the first one comes with the signal.
	early = 1500 * time.Millisecond
	// atOnce and delayed distinguish an immediate kill from one after the two seconds that stock adds, counted from TERM.
	atOnce  = 700 * time.Millisecond
	delayed = 1400 * time.Millisecond
	// atOnceAfterAnswer is atOnce, counted from the answer of the API server.
	atOnceAfterAnswer = time.Second
)

// evidence holds the measurements of a node.
type evidence struct {
	grace   time.Duration
	control measure
	// zero is the probe zero: it shows whether the kubelet saw a delete made together with the second ones.
	zero measure
	// node is the reason why no measurement of the node counts.
	node string
	// noLog is the reason why no log could be read.
	noLog string
	// orphans is nil unless the kubelet's metrics can be read.
	orphans *orphans
}

// overhead returns the time that the control pod took beyond its grace period.
func (e evidence) overhead() (time.Duration, string) {
	short := Short * time.Second
	switch {
	case e.control.trouble != "":
		return 0, "the control pod: " + e.control.trouble
	case !e.control.gone:
		return 0, "the control pod, deleted once with " + seconds(short) + ", did not go"
	case e.control.goneBy < short-early:
		return 0, fmt.Sprintf("the control pod went after %s, before its %s were over: its process does not ignore TERM", seconds(e.control.goneBy), seconds(short))
	}
	over := max(0, e.control.goneBy-short)
	if over > maxOverhead {
		return over, fmt.Sprintf("the control pod took %s longer than its grace period: the node or the API server is too slow", seconds(over))
	}
	return over, ""
}

// judge returns the verdict on a probe.
func (e evidence) judge(m measure, hook bool) Result {
	name := strings.TrimPrefix(m.probe, hookPrefix)
	over, slow := e.overhead()
	answer := func(v Verdict, at time.Duration, format string, args ...any) Result {
		return Result{Probe: m.probe, Verdict: v, Seconds: at.Seconds(), Why: fmt.Sprintf(format, args...)}
	}
	nothing := -time.Second
	switch {
	case m.trouble != "":
		return answer(Unknown, nothing, "%s", m.trouble)
	case e.node != "":
		return answer(Unknown, nothing, "%s", e.node)
	case slow != "":
		return answer(Unknown, nothing, "%s", slow)
	case m.second > between+maxOverhead:
		return answer(Unknown, nothing, "the API server took %s for the second delete", seconds(m.second-between))
	}
	var r Result
	switch name {
	case Shortened:
		r = e.shortened(m, hook, over, answer)
	case Forced:
		r = e.forced(m, answer)
	default:
		r = e.zeroed(m, answer)
	}
	if r.Verdict == Affected && name != Zero && e.zero.logged && e.zero.heard > window+tolerance {
		return answer(Unknown, time.Duration(r.Seconds*float64(time.Second)), "the kubelet took %s to act on another delete at that time", seconds(e.zero.heard))
	}
	return r
}

type answerer func(v Verdict, at time.Duration, format string, args ...any) Result

// shortened judges by the object and, if its log could be read, the process. Both must agree.
func (e evidence) shortened(m measure, hook bool, over time.Duration, answer answerer) Result {
	bound := max(Short*time.Second, m.second) + tolerance
	if hook {
		bound += window
	}
	if !m.gone {
		return answer(Unknown, -time.Second, "its object was still there %s after the first delete", seconds(probeTime(int64(e.grace.Seconds()))))
	}
	lived, spoke := m.lived, m.marked != ""
	at := m.goneBy
	if spoke {
		at = lived
	}
	switch {
	case m.goneBy <= bound+over && (!spoke || lived <= bound):
		return answer(Fixed, at, "")
	case m.goneFrom >= e.grace-early && (!spoke || lived >= e.grace-early):
		return answer(Affected, at, "it lived for its old grace period")
	}
	return answer(Unknown, at, "its object was gone after %s: want at most %s for fixed, at least %s for affected", seconds(m.goneBy), seconds(bound+over), seconds(e.grace-early))
}

// forced judges by the process alone: the object is gone at once on every kubelet. A line in the log proves that the process
// lived; silence proves its end only if the log ended normally.
func (e evidence) forced(m measure, answer answerer) Result {
	switch {
	case !m.logged && e.orphans != nil:
		return e.orphaned(m, answer)
	case !m.logged:
		return answer(Unknown, -time.Second, "its object is gone at once on every kubelet, and its log could not be read: %s", e.noLog)
	case m.marked == "":
		return answer(Unknown, -time.Second, "its process never said that its end began")
	case m.lived >= e.grace-early:
		return answer(Affected, m.lived, "it lived for its old grace period")
	case !m.ended:
		return answer(Unknown, m.lived, "%s", m.silent)
	case m.lived <= m.second+tolerance:
		return answer(Fixed, m.lived, "")
	}
	return answer(Unknown, m.lived, "want at most %s for fixed, at least %s for affected", seconds(m.second+tolerance), seconds(e.grace-early))
}

// zeroed judges from TERM on, if there is one, so that the latency of the API server and the way to the kubelet do not count.
func (e evidence) zeroed(m measure, answer answerer) Result {
	switch {
	case !m.logged:
		return answer(Unknown, -time.Second, "its object is gone at once on every kubelet, and its log could not be read: %s", e.noLog)
	case m.marked != "" && m.lived >= delayed:
		return answer(Affected, m.lived, "it lived on after it was asked to end")
	case !m.ended:
		return answer(Unknown, m.lived, "%s", m.silent)
	case m.marked == "" && m.heard <= atOnceAfterAnswer:
		return answer(Fixed, max(0, m.heard), "")
	case m.marked == "":
		return answer(Unknown, m.heard, "it was last heard %s after the API server's answer: want at most %s", seconds(m.heard), seconds(atOnceAfterAnswer))
	case m.lived <= atOnce:
		return answer(Fixed, m.lived, "")
	}
	return answer(Unknown, m.lived, "want at most %s for fixed, at least %s for affected", seconds(atOnce), seconds(delayed))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
