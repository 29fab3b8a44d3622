// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

var midnight = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// twoEnd is a pod with two containers that is killed: main exits at 5 s, second at 2 s, when the hook of main ends too.
func twoEnd(arm verdict.Arm) history.History {
	at := func(seconds float64) time.Time { return midnight.Add(time.Duration(seconds * float64(time.Second))) }
	code := func(n int32) *int32 { return &n }
	h := history.History{Header: history.Header{Scenario: "killing", Pod: "killing", Arm: string(arm)}, Events: []history.Event{
		{At: at(-8), Kind: history.Line, Container: "main", Reason: "START"},
		{At: at(-8), Kind: history.Line, Container: "second", Reason: "START"},
		{At: at(0), Kind: history.Armed},
		{At: at(0), Kind: history.APIDelete, Grace: history.Seconds(5)},
		{At: at(0.001), Kind: history.APIPod, Reason: "MODIFIED", Grace: history.Seconds(5), Message: "Running", Status: `{"ready":true}`},
		{At: at(0.001), Kind: history.KubeletEvent, Container: "main", Reason: "Killing", Message: "Stopping container main", Count: 1},
		{At: at(0.001), Kind: history.CRICall, Call: "ExecSync", CallID: 1, Container: "main", ContainerID: "1", Message: "hook"},
		{At: at(0.001), Kind: history.CRICall, Call: "StopContainer", CallID: 2, Container: "second", ContainerID: "2", Grace: history.Seconds(5)},
		{At: at(0.001), Kind: history.Line, Container: "second", Reason: "TERM", Message: "1"},
		{At: at(0.001), Kind: history.APIPod, Reason: "MODIFIED", Grace: history.Seconds(5), Message: "Running", Status: `{"ready":false}`},
		{At: at(2), Kind: history.ContainerExit, Container: "second", ContainerID: "2", ExitCode: code(0)},
		{At: at(2), Kind: history.CRIReturn, Call: "StopContainer", CallID: 2, Container: "second", ContainerID: "2", Grace: history.Seconds(5)},
		{At: at(2), Kind: history.CRIReturn, Call: "ExecSync", CallID: 1, Container: "main", ContainerID: "1", Message: "hook", ExitCode: code(0)},
		{At: at(2), Kind: history.CRICall, Call: "StopContainer", CallID: 3, Container: "main", ContainerID: "1", Grace: history.Seconds(3)},
		{At: at(2), Kind: history.KubeletEvent, Reason: "FailedKillPod", Count: 1,
			Message: `error killing pod: [failed to "KillContainer" for "a" with E: "x", failed to "KillPodSandbox" for "11111111-2222-3333-4444-555555555555" with E: "y"]`},
		{At: at(5), Kind: history.ContainerExit, Container: "main", ContainerID: "1", ExitCode: code(137)},
		{At: at(5), Kind: history.CRIReturn, Call: "StopContainer", CallID: 3, Container: "main", ContainerID: "1", Grace: history.Seconds(3)},
		{At: at(5), Kind: history.CRICall, Call: "StopPodSandbox", CallID: 4},
		{At: at(5), Kind: history.CRIReturn, Call: "StopPodSandbox", CallID: 4, Error: "Canceled", Message: "context canceled"},
		{At: at(6), Kind: history.Finished},
	}}
	for i := range h.Events {
		h.Events[i].Seq, h.Events[i].Pod = i+1, "killing"
	}
	return h
}

// find returns the n-th event of a kind, counted from 0.
func find(h history.History, kind history.Kind, n int) *history.Event {
	for i := range h.Events {
		if h.Events[i].Kind == kind {
			if n == 0 {
				return &h.Events[i]
			}
			n--
		}
	}
	return nil
}

// Differences between two runs of one arm do not count.
func TestCompareLooksPastWhatEachRunHasOtherwise(t *testing.T) {
	for name, change := range map[string]func(*history.History){
		"nothing": func(*history.History) {},
		"the order within a moment": func(h *history.History) {
			slices.Reverse(h.Events)
			answer := func(e history.Event) int {
				if e.Kind == history.CRIReturn {
					return 1
				}
				return 0
			}
			// Keep each return after its call.
			slices.SortStableFunc(h.Events, func(a, b history.Event) int {
				return cmp.Or(a.At.Compare(b.At), answer(a)-answer(b))
			})
			// The last status stays last.
			one, other := find(*h, history.APIPod, 0), find(*h, history.APIPod, 1)
			one.Status, other.Status = other.Status, one.Status
		},
		"numbers of calls": func(h *history.History) {
			for i := range h.Events {
				h.Events[i].CallID *= 7
			}
		},
		"a status that was not the last of its moment": func(h *history.History) {
			h.Events = slices.DeleteFunc(h.Events, func(e history.Event) bool { return e.Status == `{"ready":true}` })
		},
		"UIDs, and the order of errors": func(h *history.History) {
			for i, e := range h.Events {
				if e.Reason == "FailedKillPod" {
					h.Events[i].Message = `error killing pod: [failed to "KillPodSandbox" for "66666666-2222-3333-4444-555555555555" with E: "y", failed to "KillContainer" for "a" with E: "x"]`
				}
			}
		},
		"how often each order of errors was seen": func(h *history.History) {
			for i, e := range h.Events {
				if e.Reason == "FailedKillPod" {
					h.Events[i].Count = 3
				}
			}
		},
		"the words of a call that was given up": func(h *history.History) {
			find(*h, history.CRIReturn, 3).Message = "timeout exceeded: context canceled"
		},
	} {
		t.Run(name, func(t *testing.T) {
			other := twoEnd(verdict.Fixed)
			change(&other)
			if d := Compare(twoEnd(verdict.Stock), other, time.Time{}); d != nil {
				t.Error(d)
			}
		})
	}
}

// Every other difference counts.
func TestCompareFinds(t *testing.T) {
	drop := func(kind history.Kind, n int) func(*history.History) {
		return func(h *history.History) {
			seq := find(*h, kind, n).Seq
			h.Events = slices.DeleteFunc(h.Events, func(e history.Event) bool { return e.Seq == seq })
		}
	}
	for _, c := range []struct {
		name   string
		change func(*history.History)
		says   string
	}{
		{"another timeout", func(h *history.History) { *find(*h, history.CRICall, 2).Grace = 2 }, "fixed has [cri.call StopContainer grace 2 main"},
		{"a hook that is lost", drop(history.CRICall, 0), "stock has [cri.call ExecSync main"},
		{"a second TERM", func(h *history.History) {
			h.Events = append(h.Events, history.Event{At: midnight.Add(3 * time.Second), Kind: history.Line, Pod: "killing", Container: "main", Reason: "TERM"})
		}, "at 3.000 s stock has nothing more, fixed has [container.line main TERM]"},
		{"a later death", func(h *history.History) {
			for i, e := range h.Events {
				if e.At.Equal(midnight.Add(5 * time.Second)) {
					h.Events[i].At = e.At.Add(time.Millisecond)
				}
			}
		}, "at 5.000 s stock has [cri.call StopPodSandbox"},
		{"another code", func(h *history.History) { *find(*h, history.ContainerExit, 0).ExitCode = 143 }, "code 143"},
		{"an event less", drop(history.KubeletEvent, 0), "Killing"},
		{"an event that counts up", func(h *history.History) { find(*h, history.KubeletEvent, 0).Count = 2 }, "times 2"},
		{"another last status", func(h *history.History) { find(*h, history.APIPod, 1).Status = `{"ready":null}` }, `"ready":null`},
		{"another phase", func(h *history.History) { find(*h, history.APIPod, 1).Message = "Failed" }, "Failed"},
		{"an error", func(h *history.History) { find(*h, history.CRIReturn, 0).Error = "Unknown" }, "error Unknown"},
		{"a sandbox that is stopped under a container", func(h *history.History) {
			one, back := find(*h, history.CRICall, 3), find(*h, history.CRIReturn, 3)
			one.At, back.At = midnight.Add(2*time.Second), midnight.Add(2*time.Second)
		}, "StopPodSandbox while there live [main]"},
		{"the end of it", drop(history.Finished, 0), "at 6.000 s stock has [harness.finished], fixed has nothing more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			other := twoEnd(verdict.Fixed)
			c.change(&other)
			d := Compare(twoEnd(verdict.Stock), other, time.Time{})
			if d == nil {
				t.Fatal("no difference was found")
			}
			if !strings.Contains(d.String(), c.says) {
				t.Errorf("got %q, want it to contain %q", d, c.says)
			}
			if d := Compare(twoEnd(verdict.Stock), other, d.At); d != nil {
				t.Errorf("before %v there is none, got %v", d.At, d)
			}
		})
	}
}

func TestCompareNamesTheRuns(t *testing.T) {
	other := twoEnd(verdict.Stock)
	*find(other, history.ContainerExit, 0).ExitCode = 1
	if d := Compare(twoEnd(verdict.Stock), other, time.Time{}); !strings.HasPrefix(d.String(), "at 2.000 s one run of stock has [") {
		t.Errorf("got %q", d)
	}
}

func TestAsStock(t *testing.T) {
	stock, fixed := twoEnd(verdict.Stock), twoEnd(verdict.Fixed)
	if found := AsStock(stock, fixed); found.Outcome != scenario.Held || found.Rule != scenario.Kept {
		t.Errorf("the same: %+v", found)
	}
	*find(fixed, history.CRICall, 2).Grace = 2
	if found := AsStock(stock, fixed); found.Outcome != scenario.Broken || !found.At.Equal(midnight.Add(2*time.Second)) || !strings.Contains(found.Why, "not as stock") {
		t.Errorf("another timeout: %+v", found)
	}
	fixed.Events = slices.DeleteFunc(fixed.Events, func(e history.Event) bool { return e.Kind == history.Finished })
	if found := AsStock(stock, fixed); found.Outcome != scenario.Invalid {
		t.Errorf("cut short: %+v", found)
	}
}
