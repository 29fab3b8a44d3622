// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/history"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// told builds a history: each event at a time in milliseconds.
type told struct{ events []history.Event }

func (b *told) add(ms int, e history.Event) {
	e.At = epoch.Add(time.Duration(ms) * time.Millisecond)
	e.Seq = len(b.events) + 1
	b.events = append(b.events, e)
}

func (b *told) history() history.History { return history.History{Events: b.events} }

func (b *told) start(ms int, pods ...string) {
	for _, pod := range pods {
		b.add(ms, history.Event{Kind: history.Line, Pod: pod, Reason: "START"})
	}
}

func (b *told) delete(ms, answered int, pod string, grace int64) {
	b.add(ms, history.Event{Kind: history.APIDelete, Pod: pod, Grace: &grace})
	b.add(answered, history.Event{Kind: history.APIDeleted, Pod: pod, Grace: &grace})
}

func (b *told) stop(ms int, pod string, timeout int64) {
	b.add(ms, history.Event{Kind: history.CRICall, Call: "StopContainer", Pod: pod, Grace: &timeout})
}

func (b *told) end(ms int, pod string) {
	b.add(ms, history.Event{Kind: history.CRIReturn, Call: "StopContainer", Pod: pod})
	b.add(ms, history.Event{Kind: history.ContainerExit, Pod: pod})
	b.add(ms+10, history.Event{Kind: history.CRIReturn, Call: "StopPodSandbox", Pod: pod})
}

func at(seconds float64) *float64 { return &seconds }

func TestReadArm(t *testing.T) {
	var b told
	b.start(-9000, "a", "b")
	b.delete(0, 30, "a", 120)
	b.delete(10, 40, "b", 120)
	b.stop(50, "a", 120)
	b.stop(60, "b", 120)
	b.add(70, history.Event{Kind: history.Line, Pod: "a", Reason: "TERM"})
	b.delete(5000, 5100, "a", 0)
	b.delete(5010, 5300, "b", 0)
	b.add(5020, history.Event{Kind: history.ControlLate, Pod: "a", Late: .1})
	b.add(5140, history.Event{Kind: history.ControlSaw, Pod: "b", Reason: "DELETED"})
	b.stop(5120, "a", 120) // of the first request
	b.stop(5150, "b", 0)
	b.stop(5200, "a", 0)
	b.end(5400, "b")
	b.add(5600, history.Event{Kind: history.ControlSaw, Pod: "a", Reason: "DELETED"})
	b.end(6000, "a")
	b.start(-9000, "never deleted")
	got := Read(b.history(), Fixed, Parts(120)[1])
	want := Wave{Pods: 3, Column: Fixed, Part: ForceTerminating, Grace: 120, Deadline: 0,
		Lives: []Life{
			{Pod: "a", Sent: []float64{-5, 0}, Answered: []float64{-4.97, .1}, Saw: at(.6), Stops: []Stop{{-4.95, 120}, {.12, 120}, {.2, 0}}, Terms: 1, Dead: at(1), Stopped: at(1.01)},
			{Pod: "b", Sent: []float64{-4.99, .01}, Answered: []float64{-4.96, .3}, Saw: at(.14), Stops: []Stop{{-4.94, 120}, {.15, 0}}, Dead: at(.4), Stopped: at(.41)},
			{Pod: "never deleted"},
		},
		Asked: &Asked{Pod: "b", After: .14, Timeout: 0, Saw: at(.13), Lost: .1}, Lost: .6,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	first, _ := got.First()
	last, _ := got.Last()
	if first != .4 || last != 1 || got.Client() != .3 {
		t.Errorf("first %v, last %v, client %v", first, last, got.Client())
	}
	if alive := got.alive(); len(alive) != 1 || alive[0] != "never deleted" {
		t.Errorf("alive: %v", alive)
	}
}

func TestParts(t *testing.T) {
	parts := Parts(40)
	for i, want := range []time.Duration{0, 0, 15 * time.Second} {
		if got := parts[i].deadline(); got != want {
			t.Errorf("%s: deadline %v, want %v", parts[i].ID, got, want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		all  []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := median(c.all); got != c.want {
			t.Errorf("median of %v is %v", c.all, got)
		}
	}
}

func TestReadLoop(t *testing.T) {
	log := `I1231 23:59:58.000000      51 kubelet.go:2796] "SyncLoop DELETE" source="api" pods=["regression/early"]
I1231 23:59:59.250000      51 kubelet.go:2796] "SyncLoop DELETE" source="api" pods=["regression/a","other/b","regression/c"]
I0101 00:00:01.500000      51 kubelet.go:2790] "SyncLoop REMOVE" source="api" pods=["regression/a"]
I0101 00:00:01.600000      51 kubelet.go:2790] "SyncLoop DELETE" source="api" pods=[old_regression(1f) older_other(2f)]
I0101 00:00:02.000000      51 kubelet.go:2796] "SyncLoop UPDATE" source="api" pods=["regression/a"]
not a line of klog
I0101 00:00:03.000000      51 kubelet.go:2796] "SyncLoop DELETE" source="api" pods=["regression/cut`
	from := time.Date(2026, 12, 31, 23, 59, 59, 0, time.Local)
	event := func(ms int, pod, reason string) history.Event {
		return history.Event{Kind: history.KubeletRead, At: from.Add(time.Duration(ms) * time.Millisecond), Pod: pod, Reason: reason}
	}
	want := []history.Event{event(250, "a", "DELETE"), event(250, "c", "DELETE"), event(2500, "a", "REMOVE"), event(2600, "old", "DELETE")}
	got, err := readLoop(strings.NewReader(log), from)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestReadActed: a reaction counts from the reading of the deciding request, also where the first one was read late.
func TestReadActed(t *testing.T) {
	var b told
	b.start(-9000, "a", "b")
	for _, pod := range []string{"a", "b"} {
		b.delete(0, 30, pod, 120)
		b.stop(50, pod, 120)
		b.delete(5000, 5100, pod, 0)
	}
	b.stop(5180, "a", 120)
	b.stop(5200, "a", 0)
	b.stop(5450, "b", 0)
	b.add(5250, history.Event{Kind: history.CRISlow, Pod: "a", Late: .1})
	for _, pod := range []string{"a", "b"} {
		b.add(5010, history.Event{Kind: history.KubeletRead, Pod: pod, Reason: "DELETE"})
		b.add(5150, history.Event{Kind: history.KubeletRead, Pod: pod, Reason: "DELETE"})
		b.add(5300, history.Event{Kind: history.KubeletRead, Pod: pod, Reason: "REMOVE"})
	}
	w := Read(b.history(), Fixed, Parts(120)[1])
	if diff := cmp.Diff([]*Since{{Pod: "b", After: at(.3), Lost: .1}, {Pod: "a"}}, []*Since{w.Acted, w.Died}); diff != "" {
		t.Error(diff)
	}
	if last, ok := w.LastRead(); last != .15 || !ok {
		t.Errorf("last read at %v, %v", last, ok)
	}
	b.start(-9000, "c")
	if _, ok := Read(b.history(), Fixed, Parts(120)[1]).LastRead(); ok {
		t.Error("a pod was never read")
	}
}
