// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestSideBySide(t *testing.T) {
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	s := scenario.Scenario{ID: "a", Pod: scenario.Pod{Grace: 30, Containers: []scenario.Container{{Name: "main"}}}}
	event := func(at float64, e history.Event) history.Event {
		e.At, e.Pod = start.Add(time.Duration(at*float64(time.Second))), "a"
		return e
	}
	code := int32(137)
	call := func(at, took float64, id int64, name string, grace *int64, failed string) []history.Event {
		e := history.Event{Kind: history.CRICall, Call: name, CallID: id, Grace: grace}
		if grace != nil {
			e.Container = "main"
		}
		back := e
		back.Kind, back.Error = history.CRIReturn, failed
		if took < 0 {
			return []history.Event{event(at, e)}
		}
		return []history.Event{event(at, e), event(at+took, back)}
	}
	of := func(arm verdict.Arm, parts ...[]history.Event) history.History {
		h := history.History{Header: history.Header{Scenario: "a", Arm: string(arm), Level: "sim", Pod: "a"}, Events: []history.Event{
			event(-2, history.Event{Kind: history.CRICall, Call: "RunPodSandbox", CallID: 99}), event(-1, history.Event{Kind: history.Armed}),
			event(0, history.Event{Kind: history.APIDelete, Grace: history.Seconds(30)})}}
		for _, p := range parts {
			h.Events = append(h.Events, p...)
		}
		return h
	}
	exit := func(at float64) []history.Event {
		return []history.Event{event(at, history.Event{Kind: history.ContainerExit, Container: "main", ExitCode: &code})}
	}
	stock := of(verdict.Stock, call(0, 30, 1, "StopContainer", history.Seconds(30), ""), exit(30), call(30, .125, 2, "StopPodSandbox", nil, ""))
	fixed := of(verdict.Fixed, call(0, -1, 1, "StopContainer", history.Seconds(30), ""), call(3, .5, 2, "StopContainer", history.Seconds(0), "Unavailable: no"),
		exit(3.5), call(4, .125, 3, "StopPodSandbox", nil, ""), call(5, .1, 4, "RemoveContainer", nil, ""))
	told := func(c *Call) string {
		if c == nil {
			return "nothing"
		}
		took := "no return"
		if c.Took != nil {
			took = c.Took.String()
		}
		return fmt.Sprintf("%v %s%s %s", c.At, c.Text, c.Error, took)
	}
	var got []string
	for _, p := range SideBySide(Of(stock, s), Of(fixed, s)) {
		got = append(got, fmt.Sprintf("%s | %t | %s", told(p.Stock), p.Same, told(p.Fixed)))
	}
	want := []string{
		"0s StopContainer(main, 30 s) 30s | true | 0s StopContainer(main, 30 s) no return",
		"nothing | false | 3s StopContainer(main, 0 s)Unavailable 500ms",
		"30s end of main, exit code 137 no return | true | 3.5s end of main, exit code 137 no return",
		"30s StopPodSandbox 125ms | true | 4s StopPodSandbox 125ms",
		"nothing | false | 5s RemoveContainer 100ms",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
