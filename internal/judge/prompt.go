// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"time"
)

// promptly finds the stop call that request n (a shortening) must cause. A container that runs, or is being stopped, must be
// asked at once. A container that waits for its hook or its turn keeps waiting until the new deadline, or until its wait ends
// by itself; with grace 0 every wait ends.
//
// "At once" means within allowed of the worker being told, plus slack. The last result is false if the request did not affect
// the container: it had exited, or it exited before the call was due, by itself or by an earlier call's timer.
func (f *facts) promptly(c *container, n int, allowed time.Duration) (call, Finding, bool) {
	r := f.requests[n-1]
	// The kubelet may act before the harness's own watch shows the request, so "before" counts from when the request was sent.
	if !c.alive(r.sent) {
		return call{}, Finding{}, false
	}
	moment := f.acts(n)
	if f.grace(n) > 0 && c.waiting(r.sent) {
		_, latest := f.deadline(n)
		moment = later(latest, moment)
	}
	due := moment.Add(allowed + f.Slack)
	s, ok := f.answer(c, n, due)
	switch {
	case ok && !s.at.After(due):
		return s, Finding{}, true
	case !c.alive(due) && !c.explained():
		return s, broken(c.exit.at, "container %s was killed at %s, though no stop call was due to kill it by then",
			c.Name, f.when(c.exit.at)), true
	case !c.alive(due):
		return call{}, Finding{}, false
	case ok:
		return s, broken(s.at, "after the request at %s (grace %d) container %s was asked to stop only at %s, due by %s",
			f.when(r.sent), r.grace, c.Name, f.when(s.at), f.when(due)), true
	case f.finished.Before(due):
		return s, invalid("the observation ended at %s, before the stop call due by %s", f.when(f.finished), f.when(due)), true
	default:
		return s, broken(due, "after the request at %s (grace %d) container %s was never asked to stop, due by %s",
			f.when(r.sent), r.grace, c.Name, f.when(due)), true
	}
}

// answer returns the first stop call that can be the response to request n. A call that grants more time than the request
// leaves may have been sent before the worker could act; then the next call counts, and none is due if the container exited in
// the meantime.
func (f *facts) answer(c *container, n int, due time.Time) (call, bool) {
	r := f.requests[n-1]
	for _, s := range c.stops {
		if !s.at.Before(r.sent) && (s.at.After(f.acts(n).Add(f.Acts)) || !f.tooLong(c, s, n)) {
			return s, true
		}
	}
	if !c.alive(due) {
		return call{}, false
	}
	return c.stopped(r.sent)
}

// tooLong reports whether a stop call grants more time than request n left: more than the remaining time, rounded up, or more
// than the window (R5) if this is the container's first stop call.
func (f *facts) tooLong(c *container, s call, n int) bool {
	_, latest := f.deadline(n)
	most := left(latest, s.at)
	switch {
	case f.grace(n) == 0:
		most = 0
	case !c.asked(s.at):
		most = max(most, int64(f.Window/time.Second))
	}
	return s.target().After(s.at.Add(seconds(most)).Add(f.Slack))
}

// explained reports whether the container exited by itself or a stop call's timeout had expired.
func (c *container) explained() bool {
	return !c.exit.killed() || slices.ContainsFunc(c.stops, func(s call) bool { return !s.target().After(c.exit.at) })
}
