// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/kgrace/kgrace/internal/history"
)

// Wave is what happened to the pods of one part in one column. Times are seconds since the part's request Zero.
type Wave struct {
	Pods   int    `json:"pods"`
	Column Column `json:"column"`
	Part   string `json:"part"`
	// Grace is the grace period of the first request. Stock may have a shorter one: it takes that long.
	Grace int64 `json:"grace"`
	// Deadline is when the pods are due.
	Deadline float64 `json:"deadline"`
	Lives    []Life  `json:"lives"`
	// Asked is the first stop call that a deciding request led to; nil if there was none.
	Asked *Asked `json:"asked,omitempty"`
	// Acted and Died are the slowest reactions to a deciding request that the kubelet's sync loop read: until its stop call, and
	// until the container was dead. They are nil if the log tells of no request.
	Acted *Since `json:"acted,omitempty"`
	Died  *Since `json:"died,omitempty"`
	// Lost is how late the machine was for the last death: until when after the pods were due the control beside the kubelet did
	// not see its request, or how much of the time since then the controls were delayed or reads of the runtime slow, whichever is
	// more.
	Lost float64 `json:"lost,omitempty"`
}

// Asked is how long it took from a deciding request to its stop call, in seconds.
type Asked struct {
	Pod string `json:"pod"`
	// After is from the sending of the request to the call.
	After   float64 `json:"after"`
	Timeout int64   `json:"timeout"`
	// Saw is from the sending of the request to when the control beside the kubelet saw it; nil if it did not.
	Saw *float64 `json:"saw,omitempty"`
	// Lost is how much of After the controls were delayed, or reads of the runtime slow.
	Lost float64 `json:"lost"`
}

// Since is how long something took after the sync loop had read a pod's deciding request, in seconds.
type Since struct {
	Pod string `json:"pod"`
	// After is nil if it did not happen.
	After *float64 `json:"after,omitempty"`
	// Lost is how much of After the controls were delayed, or reads of the runtime slow.
	Lost float64 `json:"lost,omitempty"`
}

// Life is the end of one pod.
type Life struct {
	Pod string `json:"pod"`
	// Sent and Answered are the times of the requests, in order.
	Sent     []float64 `json:"sent"`
	Answered []float64 `json:"answered"`
	// Failed is the error of a request, if one failed.
	Failed string `json:"failed,omitempty"`
	// Saw is when the control beside the kubelet saw the deciding request.
	Saw *float64 `json:"saw,omitempty"`
	// Read is when the kubelet's sync loop read the deciding request.
	Read  *float64 `json:"read,omitempty"`
	Stops []Stop   `json:"stops"`
	// Terms counts the TERMs that the main process saw.
	Terms int      `json:"terms"`
	Dead  *float64 `json:"dead,omitempty"`
	// Stopped is when the pod's sandbox was stopped.
	Stopped *float64 `json:"stopped,omitempty"`
}

// living is a life while its history is read.
type living struct {
	Life
	read int // how many requests the sync loop has read
}

// Stop is one StopContainer call.
type Stop struct {
	At      float64 `json:"at"`
	Timeout int64   `json:"timeout"`
}

// Read reads a wave off its history.
func Read(h history.History, column Column, part Part) Wave {
	zero := zeroOf(h, part)
	since := func(at time.Time) float64 { return round(at.Sub(zero).Seconds()) }
	w := Wave{Column: column, Part: part.ID, Grace: part.Requests[0].Grace, Deadline: part.deadline().Seconds()}
	lives := map[string]*living{}
	for _, e := range h.Events {
		if e.Kind == history.Line && e.Reason == "START" {
			lives[e.Pod] = &living{Life: Life{Pod: e.Pod}}
		}
	}
	for _, e := range h.Events {
		if life := lives[e.Pod]; life != nil {
			life.see(e, since(e.At), part)
		}
	}
	for _, life := range lives {
		w.Lives = append(w.Lives, life.Life)
	}
	slices.SortFunc(w.Lives, func(a, b Life) int { return cmp.Compare(a.Pod, b.Pod) })
	w.Pods = len(w.Lives)
	spans := history.Lost(h.Events)
	lost := func(from, to float64) float64 {
		at := func(seconds float64) time.Time { return zero.Add(time.Duration(seconds * float64(time.Second))) }
		return round(history.Covered(spans, at(from), at(to)).Seconds())
	}
	if asked, from, ok := w.asked(); ok {
		asked.Lost = lost(from, from+asked.After)
		w.Asked = &asked
	}
	w.Acted = w.slowest(lost, func(l Life) *float64 {
		if i := slices.IndexFunc(l.Stops, func(s Stop) bool { return s.At >= *l.Read && s.Timeout <= w.most() }); i >= 0 {
			return &l.Stops[i].At
		}
		return nil
	})
	w.Died = w.slowest(lost, func(l Life) *float64 { return l.Dead })
	for _, life := range w.Lives {
		if last, _ := w.Last(); life.Dead == nil || *life.Dead < last {
			continue
		}
		w.Lost = lost(w.Deadline, *life.Dead)
		if life.Saw != nil {
			w.Lost = max(w.Lost, round(*life.Saw-w.Deadline))
		}
	}
	return w
}

// zeroOf returns the time of the first request Zero.
func zeroOf(h history.History, part Part) time.Time {
	seen := map[string]int{}
	for _, e := range h.Events {
		if e.Kind != history.APIDelete {
			continue
		}
		if seen[e.Pod] == part.Zero {
			return e.At
		}
		seen[e.Pod]++
	}
	return time.Time{}
}

func isStop(e history.Event) bool {
	return e.Kind == history.CRICall && e.Call == "StopContainer" && e.Grace != nil
}

func (l *living) see(e history.Event, at float64, part Part) {
	switch deciding := part.deciding().Grace; {
	case isStop(e):
		l.Stops = append(l.Stops, Stop{at, *e.Grace})
	case e.Kind == history.APIDelete:
		l.Sent = append(l.Sent, at)
	case e.Kind == history.APIDeleted:
		l.Answered = append(l.Answered, at)
		if e.Error != "" {
			l.Failed = e.Error
		}
	case e.Kind == history.ControlSaw && l.Saw == nil && (e.Reason == "DELETED" || e.Grace != nil && *e.Grace == deciding):
		l.Saw = &at
	case e.Kind == history.KubeletRead:
		// The kubelet reads the end of a force twice: a grace period of 0 (DELETE), then that the pod is gone (REMOVE).
		l.read++
		if l.Read == nil && (l.read == len(part.Requests) || e.Reason == "REMOVE") {
			l.Read = &at
		}
	case e.Kind == history.Line && e.Reason == "TERM":
		l.Terms++
	case e.Kind == history.ContainerExit && l.Dead == nil:
		l.Dead = &at
	case e.Kind == history.CRIReturn && e.Call == "StopPodSandbox" && e.Error == "" && l.Stopped == nil:
		l.Stopped = &at
	}
}

// stocksLeast is the least timeout of a stop call on stock, in seconds.
const stocksLeast = 2

// round rounds to milliseconds: the resolution of the figures.
func round(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }
