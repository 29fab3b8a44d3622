// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// timeline is a short form of a history: its functions take the seconds since the first request.
type timeline []history.Event

var day = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(s float64) time.Time { return day.Add(time.Duration(s * float64(time.Second))) }

var calls int64

// del is an accepted delete that changed the pod's grace: sent, answered after 20 ms and seen after 30 ms.
func del(s float64, grace int64) timeline {
	return timeline{
		{At: at(s), Kind: history.APIDelete, Grace: &grace},
		{At: at(s + .02), Kind: history.APIDeleted},
		{At: at(s + .03), Kind: history.APIPod, Reason: "MODIFIED", Grace: &grace, Deletion: history.Time(at(s + float64(grace)))},
	}
}

// storedAs is an accepted delete for which the API server stores another grace than was asked for.
func storedAs(stored int64, s float64, grace int64) timeline {
	all := del(s, grace)
	all[2].Grace = &stored
	return all
}

// ignored is an accepted delete that changed nothing.
func ignored(s float64, grace int64) timeline { return del(s, grace)[:2] }

func removed(s float64) timeline {
	return timeline{{At: at(s), Kind: history.APIPod, Reason: "DELETED", Grace: history.Seconds(0)}}
}

func forced(s float64) timeline { return slices.Concat(del(s, 0), removed(s+.04)) }

// called is a runtime call that returned after took seconds; negative means never.
func called(s, took float64, call, container string, grace *int64, err string) timeline {
	calls++
	all := timeline{{At: at(s), Kind: history.CRICall, Call: call, CallID: calls, Container: container, Grace: grace}}
	if took >= 0 {
		all = append(all, history.Event{At: at(s + took), Kind: history.CRIReturn, Call: call, CallID: calls,
			Container: container, Error: err})
	}
	return all
}

func stop(s float64, container string, timeout int64, took float64) timeline {
	return called(s, took, "StopContainer", container, &timeout, "")
}

func sandbox(s float64) timeline { return called(s, .1, "StopPodSandbox", "", nil, "") }

func line(s float64, container, word string) timeline {
	return timeline{{At: at(s), Kind: history.Line, Container: container, Reason: word}}
}

func ended(s float64, container string, code int32) timeline {
	return timeline{{At: at(s), Kind: history.ContainerExit, Container: container, ExitCode: &code}}
}

func killed(s float64, container string) timeline { return ended(s, container, 137) }

func killing(s float64, container string, count int32) timeline {
	return timeline{{At: at(s), Kind: history.KubeletEvent, Reason: "Killing", Container: container, Count: count,
		Message: "Stopping container " + container}}
}

// finished is the end of the observation.
func finished(s float64) timeline { return timeline{{At: at(s), Kind: history.Finished}} }

// tell returns a history of the scenario at the node level, armed one second before the first request.
func tell(id string, events ...timeline) history.History {
	h := history.History{Header: history.Header{Scenario: id, Arm: "stock", Level: "node", Minor: "v1.37"}}
	h.Events = append(h.Events, history.Event{At: at(-1), Kind: history.Armed})
	h.Events = append(h.Events, slices.Concat(events...)...)
	return h
}

// row is a row of the catalogue.
func row(t *testing.T, id string) scenario.Scenario {
	t.Helper()
	all, err := scenario.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(s scenario.Scenario) bool { return s.ID == id })
	if i < 0 {
		t.Fatalf("no scenario %q", id)
	}
	return all[i]
}
