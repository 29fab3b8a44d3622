// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"strings"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// refused is a pod whose stop fails at 1 s, so that stock stops the sandbox under its container, which exits at 2 s.
func refused(arm verdict.Arm) history.History {
	at := func(seconds float64) time.Time { return midnight.Add(time.Duration(seconds * float64(time.Second))) }
	return history.History{Header: history.Header{Pod: "pod", Arm: string(arm)}, Events: []history.Event{
		{At: at(0), Kind: history.APIDelete, Grace: history.Seconds(9)},
		{At: at(0), Kind: history.CRICall, Call: "StopContainer", CallID: 1, Container: "main", ContainerID: "1", Grace: history.Seconds(9)},
		{At: at(1), Kind: history.CRIReturn, Call: "StopContainer", CallID: 1, Container: "main", ContainerID: "1", Grace: history.Seconds(9), Error: "Unknown"},
		{At: at(1.5), Kind: history.KubeletEvent, Reason: "FailedKillPod"},
		{At: at(1.75), Kind: history.CRICall, Call: "StopPodSandbox", CallID: 2},
		{At: at(2), Kind: history.ContainerExit, Container: "main", ContainerID: "1"},
		{At: at(3), Kind: history.Finished},
		{At: at(0), Kind: history.KubeletBegan}, // out of order: events are sorted by time
	}}
}

// Each exception ends the comparison at its own time, and no earlier.
func TestMay(t *testing.T) {
	zero := func(h *history.History) { *h.Events[0].Grace = 0 }
	specZero := func(h *history.History) {
		h.Events[0] = history.Event{At: h.Events[0].At, Kind: history.APIPod, Reason: "MODIFIED", Grace: history.Seconds(0), Deletion: &h.Events[0].At}
	}
	gone := func(h *history.History) { // the kubelet removes it from the API with grace zero
		specZero(h)
		*h.Events[0].Grace = 9
		h.Events[2].Error = ""
		last := h.Events[0]
		last.At, last.Grace = h.Events[6].At, history.Seconds(0)
		h.Events = append(h.Events, last)
	}
	for _, c := range []struct {
		name   string
		change func(*history.History)
		differ int // the event of fixed that differs
		by     string
		want   string
	}{
		{"a forced delete", zero, 1, "zero", ""},
		{"a spec that says zero", specZero, 1, "zero", ""},
		{"an object that went with zero", gone, 1, "", "StopContainer"},
		{"a failed stop, and later", nil, 5, "sandbox", ""},
		{"a failed stop, and the sandbox", nil, 4, "sandbox", ""},
		{"a failed stop of a container that ended before the sandbox", func(h *history.History) { h.Events[5].At = h.Events[3].At }, 4, "sandbox", ""},
		{"a failed stop, and before", nil, 1, "sandbox", "StopContainer"},
		{"a stop that did not fail", func(h *history.History) { h.Events[2].Error = "" }, 5, "", "cri.exit"},
		{"a stop that did not fail, and the sandbox", func(h *history.History) { h.Events[2].Error = "" }, 4, "", "StopPodSandbox"},
		{"a failed stop before the termination", func(h *history.History) { h.Events[7].At = h.Events[6].At }, 4, "", "StopPodSandbox"},
		{"a sandbox left alone", func(h *history.History) { h.Events[4].Call = "RemoveContainer" }, 5, "", "cri.exit"},
	} {
		stock, fixed := refused(verdict.Stock), refused(verdict.Fixed)
		if c.change != nil {
			c.change(&stock)
			c.change(&fixed)
		}
		fixed.Events[c.differ].Message = "otherwise"
		d, by := Same(stock, fixed, May())
		switch {
		case (by == nil) != (c.by == "") || by != nil && by.Name != c.by:
			t.Errorf("%s: ended by %+v, want %q", c.name, by, c.by)
		case d == nil && c.want != "":
			t.Errorf("%s: no difference, want %s", c.name, c.want)
		case d != nil && (c.want == "" || !strings.Contains(d.String(), c.want)):
			t.Errorf("%s: got %v, want %q", c.name, d, c.want)
		}
		if d, _ := Same(stock, fixed, nil); d == nil {
			t.Errorf("%s: without the exceptions there must be a difference", c.name)
		}
	}
}

// A container that may be waiting for its turn ends the comparison as soon as the stop of another one has failed.
func TestMayWithOneThatWaits(t *testing.T) {
	waiting := func(arm verdict.Arm) history.History {
		h := refused(arm)
		h.Events = append([]history.Event{{At: midnight.Add(-time.Second), Kind: history.CRIReturn, Call: "StartContainer", Container: "sidecar", ContainerID: "2"}}, h.Events...)
		return h
	}
	stock, fixed := waiting(verdict.Stock), waiting(verdict.Fixed)
	fixed.Events[4].Message = "otherwise"
	if d, by := Same(stock, fixed, May()); d != nil || by == nil || by.Name != "sandbox" {
		t.Errorf("after the stop that failed: %v, %v", d, by)
	}
	stock, fixed = refused(verdict.Stock), refused(verdict.Fixed)
	fixed.Events[3].Message = "otherwise"
	if d, _ := Same(stock, fixed, May()); d == nil {
		t.Error("nobody waited, and the arms differ before the sandbox is stopped")
	}
}

func TestMayLeavesOutWhatIsLeftOver(t *testing.T) {
	hung := func(arm verdict.Arm) history.History {
		h := refused(arm)
		h.Events[2].Error = ""
		h.Events = append(h.Events[:1], append([]history.Event{{At: midnight, Kind: history.CRICall, Call: "ExecSync", CallID: 9, Container: "main", ContainerID: "1"}}, h.Events[1:]...)...)
		return h
	}
	cancelled := history.Event{At: midnight.Add(2500 * time.Millisecond), Kind: history.CRIReturn, Call: "ExecSync", CallID: 9, Container: "main", ContainerID: "1", Error: "Canceled"}
	failed := history.Event{At: midnight.Add(2750 * time.Millisecond), Kind: history.CRIReturn, Call: "ExecSync", CallID: 9, Container: "main", ContainerID: "1", Error: "NotFound"}
	said := history.Event{At: failed.At, Kind: history.KubeletEvent, Container: "main", Reason: "FailedPreStopHook"}
	for name, c := range map[string]struct {
		stock, fixed []history.Event
		differ       bool
	}{
		"cancelled by fixed":                       {nil, []history.Event{cancelled}, false},
		"cancelled by fixed, failed on stock":      {[]history.Event{failed, said}, []history.Event{cancelled}, false},
		"said to have failed, and never came back": {[]history.Event{said}, nil, true},
		"cut with its container":                   {nil, []history.Event{moved(cancelled, 2)}, true},
		"cut before":                               {nil, []history.Event{moved(cancelled, 1.9)}, true},
	} {
		stock, fixed := hung(verdict.Stock), hung(verdict.Fixed)
		stock.Events, fixed.Events = append(stock.Events, c.stock...), append(fixed.Events, c.fixed...)
		if d, _ := Same(stock, fixed, May()); (d != nil) != c.differ {
			t.Errorf("%s: got %v", name, d)
		}
	}
}

// moved returns an event at another time.
func moved(e history.Event, seconds float64) history.Event {
	e.At = midnight.Add(time.Duration(seconds * float64(time.Second)))
	return e
}

func TestMayIsWhole(t *testing.T) {
	for _, one := range May() {
		if one.Name == "" || one.Why == "" || !one.Rule.Known() || (one.From == nil) == (one.Without == nil) {
			t.Errorf("%q: an exception needs a name, a rule of the contract, a reason, and either From or Without", one.Name)
		}
	}
}

func TestAsStockLooksAtTheList(t *testing.T) {
	stock, fixed := refused(verdict.Stock), refused(verdict.Fixed)
	fixed.Events[5].At = fixed.Events[5].At.Add(time.Second)
	if found := AsStock(stock, fixed); found.Outcome != scenario.Held || !strings.Contains(found.Why, "up to where it may differ") {
		t.Errorf("got %+v", found)
	}
}
