// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// facts is a history, indexed for the rules.
type facts struct {
	Bounds
	scenario scenario.Scenario
	sim      bool
	// events are all events in order; origin is the time of the first action on the pod, from which findings count.
	events   []history.Event
	origin   time.Time
	finished time.Time
	// requests are the accepted requests; accepted is their number, and needless the number of deletes sent after the pod had
	// left the API.
	requests           []request
	accepted, needless int
	// containers are the containers that ran; it excludes those whose image was never pulled.
	containers []*container
	// began holds the start of the terminating syncs recorded at the sim level, synced the ends of work that only SyncPod does,
	// and begins the beginning of the termination in each run of the kubelet.
	began, synced []time.Time
	begins        []beginning
	// attempts holds the starts of all terminating syncs, if the history records them.
	attempts []attempt
	// podEvents are the watch events of the pod.
	podEvents []history.Event
	// sandboxStops are the StopPodSandbox calls; kubelet holds the kubelet's events about the pod.
	sandboxStops []call
	kubelet      []history.Event
	// steps are the steps that are not requests; evictions are the kubelet's own kills.
	steps     []history.Event
	evictions []eviction
	// left holds the kubelet's remaining records of killing the pod.
	left []history.Event
	// carried is how late the runtime was to execute a kill that the kubelet had requested in time (runtime_late.go).
	carried *time.Duration
	// unanswered are the calls about the pod that had not returned when the observation ended.
	unanswered []history.Event
}

// container holds the events of one container of the pod.
type container struct {
	scenario.Container
	sidecar bool

	// id is the runtime's id of the first container of that name, "" if the history does not record it; exit is its exit, and
	// the calls are calls about it. started holds the starts of all containers of that name.
	id      string
	exit    *exit
	started []time.Time
	stops   []call // StopContainer
	execs   []call // ExecSync and Exec, except postStart hooks and probes
	terms   []time.Time
	probes  []time.Time

	hookStarts, hookEnds, httpStarts, httpGone []time.Time
}

type exit struct {
	at   time.Time
	code int32
	// order is the event's index in the history, which orders events at the same virtual time.
	order int
}

// sigkilled is the exit code of a killed process: 128 + SIGKILL.
const sigkilled = 137

func (e exit) killed() bool { return e.code == sigkilled }

// eviction is a kill requested by a caller inside the kubelet. answers counts the replies to that caller.
type eviction struct {
	at, back time.Time
	answers  int
	err      string
}

// call is a runtime call; back is zero when it never returned.
type call struct {
	at, back time.Time
	timeout  int64
	err      string
	code     int32 // of an exec
	// order and backOrder are the indexes of the call and its return in the history.
	order, backOrder int
}

func (c call) target() time.Time { return c.at.Add(seconds(c.timeout)) }

func (c call) canceled() bool { return strings.HasPrefix(c.err, "Canceled") }

// refused reports whether the runtime returned an error other than the caller's own cancellation.
func (c call) refused() bool { return c.err != "" && !c.canceled() }

// waits reports whether the container may have to wait before it is asked to stop, for its hook or for its turn.
func (c *container) waits() bool { return c.Hook != nil || c.sidecar }

// waiting reports whether the container was possibly still waiting, that is, not yet asked to stop, at the given time.
func (c *container) waiting(at time.Time) bool {
	return c.waits() && !slices.ContainsFunc(c.stops, func(s call) bool { return s.at.Before(at) })
}

// alive reports whether the container's main process was alive at the given time.
func (c *container) alive(at time.Time) bool { return c.exit == nil || c.exit.at.After(at) }

// aliveAtCall and aliveAtReturn report whether the main process was alive when a call started or returned, even if it exited at
// that very time.
func (c *container) aliveAtCall(s call) bool   { return c.aliveAs(s.at, s.order) }
func (c *container) aliveAtReturn(s call) bool { return c.aliveAs(s.back, s.backOrder) }

func (c *container) aliveAs(at time.Time, order int) bool {
	return c.alive(at) || c.exit.at.Equal(at) && c.exit.order > order
}

// stopped returns the first StopContainer call at or after from.
func (c *container) stopped(from time.Time) (call, bool) {
	for _, s := range c.stops {
		if !s.at.Before(from) {
			return s, true
		}
	}
	return call{}, false
}

// read indexes a history. The string says why no rule can apply to it; it is empty if rules can.
func read(h history.History, s scenario.Scenario) (*facts, string) {
	f := &facts{Bounds: At(scenario.Level(h.Level)), scenario: s, sim: h.Level == string(scenario.LevelSim), events: h.ByTime(), carried: new(time.Duration)}
	byName := map[string]*container{}
	for i, spec := range s.Pod.All() {
		c := &container{Container: spec, sidecar: i < len(s.Pod.Sidecars)}
		f.containers = append(f.containers, c)
		byName[spec.Name] = c
	}
	var armed time.Time
	open := map[int64]func(history.Event, int){}
	pending := map[int64]history.Event{}
	evicted := map[int64]int{}
	sandbox := ""
	for order, e := range f.events {
		c := byName[e.Container]
		switch e.Kind {
		case history.Armed:
			armed = e.At
		case history.Abandoned:
			return nil, "given up: " + e.Message
		case history.Finished:
			f.finished = e.At
		case history.Step:
			if e.Error != "" {
				return nil, fmt.Sprintf("step %q could not be carried out: %s", e.Reason, e.Error)
			}
			f.steps = append(f.steps, e)
		case history.KubeletKill:
			evicted[e.CallID] = len(f.evictions)
			f.evictions = append(f.evictions, eviction{at: e.At})
		case history.KubeletKilled:
			if i, ok := evicted[e.CallID]; ok {
				one := &f.evictions[i]
				one.back, one.err = e.At, e.Error
				one.answers++
			}
		case history.APIPod:
			f.podEvents = append(f.podEvents, e)
		case history.KubeletBegan:
			f.began = append(f.began, e.At)
			if e.Count > 0 {
				f.attempts = append(f.attempts, attempt{at: e.At, order: order})
			}
		case history.KubeletAgain:
			f.attempts = append(f.attempts, attempt{at: e.At, order: order})
		case history.KubeletLeft:
			f.left = append(f.left, e)
		case history.KubeletEvent:
			f.kubelet = append(f.kubelet, e)
		case history.ContainerExit:
			if c != nil && c.exit == nil && c.first(e) {
				ended := exit{at: e.At, order: order}
				if e.ExitCode != nil {
					ended.code = *e.ExitCode
				}
				c.exit = &ended
			}
		case history.Line:
			if c != nil {
				c.line(e)
			}
		case history.CRICall:
			one := call{at: e.At, order: order}
			if e.Grace != nil {
				one.timeout = *e.Grace
			}
			if e.Call == "StopPodSandbox" && sandbox != "" && e.Message != "" && e.Message != sandbox {
				continue // an earlier one, which the kubelet's garbage collection removes
			}
			if c != nil && c.id == "" && e.Call == "StartContainer" {
				c.id = e.ContainerID
			}
			if c != nil && !c.first(e) || postStart(e) || probe(e) {
				c = nil
			}
			if into := f.callsOf(c, e.Call); into != nil {
				*into = append(*into, one)
				at := len(*into) - 1
				open[e.CallID] = func(r history.Event, order int) {
					one := &(*into)[at]
					one.back, one.err, one.backOrder = r.At, r.Error, order
					if r.ExitCode != nil {
						one.code = *r.ExitCode
					}
				}
				pending[e.CallID] = e
			}
		case history.CRIReturn:
			if e.At.Equal(f.finished) && e.Error != "" {
				continue // the teardown cancels the calls that never returned
			}
			if e.Call == "RunPodSandbox" && e.Error == "" {
				sandbox = e.Message
			}
			if syncs(e) {
				f.synced = append(f.synced, e.At)
			}
			if c != nil && c.id == e.ContainerID && e.Call == "StartContainer" && e.Error != "" && len(c.started) == 0 {
				c.id = "" // never started: the next one of that name is the first
			}
			if done := open[e.CallID]; done != nil {
				done(e, order)
				delete(open, e.CallID)
				delete(pending, e.CallID)
			}
		}
	}
	f.unanswered = slices.SortedFunc(maps.Values(pending), func(a, b history.Event) int { return a.Seq - b.Seq })
	f.requests = requests(f.events, s)
	f.accepted, f.needless = len(f.requests), needless(f.events)
	f.origin = origin(f)
	f.containers = slices.DeleteFunc(f.containers, (*container).absent)
	switch {
	case armed.IsZero():
		return nil, "the scenario was never armed"
	case f.finished.IsZero():
		return nil, "the observation never came to its end"
	case len(f.requests) == 0 && !s.Stays() && !s.Bursts():
		return nil, "no delete was accepted by the API server"
	}
	f.forget()
	f.begins = f.beginnings()
	for _, c := range f.containers {
		if !s.Bursts() && !c.EndsByItself() && !c.alive(f.origin) {
			return nil, fmt.Sprintf("container %s had ended before the first delete", c.Name)
		}
	}
	return f, ""
}

// forget drops actions on the pod before the first request: a kill by SyncPod is not part of the termination.
func (f *facts) forget() {
	if len(f.requests) == 0 {
		return
	}
	from := f.requests[0].sent.Add(-f.Grain)
	early := func(at time.Time) bool { return at.Before(from) }
	earlyCall := func(c call) bool { return early(c.at) }
	f.sandboxStops = slices.DeleteFunc(f.sandboxStops, earlyCall)
	f.kubelet = slices.DeleteFunc(f.kubelet, func(e history.Event) bool { return early(e.At) })
	for _, c := range f.containers {
		c.stops, c.execs = slices.DeleteFunc(c.stops, earlyCall), slices.DeleteFunc(c.execs, earlyCall)
		for _, all := range []*[]time.Time{&c.terms, &c.hookStarts, &c.hookEnds, &c.httpStarts, &c.httpGone} {
			*all = slices.DeleteFunc(*all, early)
		}
	}
}

// absent reports whether the container never ran because its image was never pulled.
func (c *container) absent() bool { return c.Pull && len(c.started) == 0 && c.exit == nil }

// first reports whether an event is about the first container of that name, as far as the history records it.
func (c *container) first(e history.Event) bool {
	return c.id == "" || e.ContainerID == "" || e.ContainerID == c.id
}

func (f *facts) callsOf(c *container, method string) *[]call {
	switch {
	case method == "StopPodSandbox":
		return &f.sandboxStops
	case c == nil:
		return nil
	case method == "StopContainer":
		return &c.stops
	case method == "ExecSync", method == "Exec":
		return &c.execs
	default:
		return nil
	}
}

func (c *container) line(e history.Event) {
	switch e.Reason {
	case "START":
		c.started = append(c.started, e.At)
	case "PROBE":
		c.probes = append(c.probes, e.At)
	case "TERM":
		c.terms = append(c.terms, e.At)
	case "HOOK-START":
		c.hookStarts = append(c.hookStarts, e.At)
	case "HOOK-END":
		c.hookEnds = append(c.hookEnds, e.At)
	case "HTTP-START":
		c.httpStarts = append(c.httpStarts, e.At)
	case "HTTP-GONE":
		c.httpGone = append(c.httpGone, e.At)
	}
}

// seconds converts seconds to a duration and saturates at the largest whole number of seconds.
func seconds(n int64) time.Duration {
	const most = int64(1<<63-1) / int64(time.Second)
	return time.Duration(max(min(n, most), -most)) * time.Second
}

// when formats a time as seconds since the origin, as all findings do.
func (f *facts) when(at time.Time) string {
	return fmt.Sprintf("%.2f s", at.Sub(f.origin).Seconds())
}

// origin returns the time of the first action on the pod.
func origin(f *facts) time.Time {
	var first time.Time
	for _, r := range f.requests {
		first = r.sent
		break
	}
	for _, step := range f.steps {
		if first.IsZero() || step.At.Before(first) {
			first = step.At
		}
	}
	return first
}

// done returns when a step was carried out; false if it was not.
func (f *facts) done(do scenario.Action) (time.Time, bool) {
	for _, step := range f.steps {
		if step.Reason == do.String() {
			return step.At, true
		}
	}
	return time.Time{}, false
}
