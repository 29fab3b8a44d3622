// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Two pods of a soak whose watch was cut: for one a call was made for the request that the kubelet knew, for the other the call for the
// early one of two requests that it read together arrived last. The same with another disturbance is red, and so is what no cut explains.
func TestACutWatchHidesARequest(t *testing.T) {
	at := func(clock string) time.Time {
		at, err := time.Parse(time.RFC3339Nano, "2026-12-01T"+clock+"Z")
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	stubborn := func(names ...string) (all []scenario.Container) {
		for _, name := range names {
			all = append(all, scenario.Container{Name: name, Stubborn: true})
		}
		return all
	}
	unseen := scenario.Scenario{ID: "soak-35-17", Pod: scenario.Pod{Grace: 21, Containers: []scenario.Container{{Name: "main", ExitAfter: 5035 * time.Millisecond}},
		Sidecars: []scenario.Container{{Name: "sidecar-1", Stubborn: true}, {Name: "sidecar-2", ExitAfter: 8035 * time.Millisecond}}},
		Steps: []scenario.Step{{Do: scenario.Delete{Grace: 30}}, {After: 2820 * time.Millisecond, Do: scenario.Delete{Grace: 1}}}}
	overtaken := scenario.Scenario{ID: "soak-43-19", Pod: scenario.Pod{Grace: 16, Containers: stubborn("main"), Sidecars: stubborn("sidecar-1")},
		Steps: []scenario.Step{{Do: scenario.Delete{Grace: 25}}, {After: 570 * time.Millisecond, Do: scenario.Delete{Grace: 6}}}}
	sawAtOnce := func(e *history.Event) {
		if e.Kind == history.ControlSaw && e.Grace != nil && *e.Grace == 1 {
			e.At = at("04:00:05.9")
		}
	}
	for _, c := range []struct {
		file     string
		s        scenario.Scenario
		asked    int64 // by the last delete; the API server may have stored less
		from, to string
		rules    []scenario.Rule
		spoil    func(*history.Event)
	}{
		{"unseen", unseen, 1, "04:00:04.397", "04:00:09.428", []scenario.Rule{scenario.ShorterActs, scenario.Window}, sawAtOnce},
		{"unseen", unseen, 2, "04:00:04.397", "04:00:09.428", []scenario.Rule{scenario.ShorterActs, scenario.Window}, sawAtOnce},
		{"overtaken", overtaken, 6, "04:02:36.973", "04:02:41.278", []scenario.Rule{scenario.OnlyShorter}, func(e *history.Event) {
			if e.CallID == 64977 && e.Kind == history.CRICall { // the longer call comes later
				e.At = e.At.Add(time.Second)
			}
		}},
	} {
		h, err := history.ReadFile(filepath.Join("testdata", c.file+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		last := len(c.s.Steps) - 1
		for i, e := range h.Events {
			if was := c.s.Steps[last].Do.(scenario.Delete).Grace; e.Grace != nil && *e.Grace == was && (e.Kind == history.APIDelete || e.Kind == history.APIDeleted) {
				h.Events[i].Grace = history.Seconds(c.asked)
			}
		}
		c.s.Steps = append(slices.Clone(c.s.Steps[:last]), scenario.Step{After: c.s.Steps[last].After, Do: scenario.Delete{Grace: c.asked}})
		spoiled := h
		spoiled.Events = slices.Clone(h.Events)
		for i := range spoiled.Events {
			c.spoil(&spoiled.Events[i])
		}
		for _, rule := range c.rules {
			for _, j := range []struct {
				h    history.History
				kind Kind
				red  bool
			}{{h, WatchCut, false}, {h, APIRestarted, false}, {h, DiskFull, true}, {spoiled, WatchCut, true}} {
				judged := Judge(j.h, c.s, []Disturbance{{Kind: j.kind, From: at(c.from), To: at(c.to)}})
				if red := slices.ContainsFunc(judged.Findings, func(f judge.Finding) bool { return f.Rule == rule && f.Outcome == scenario.Broken }); red != j.red {
					t.Errorf("%s, %s, spoiled %t: %s red: %t; %+v", c.file, j.kind, j.h.Events[0] != h.Events[0], rule, red, judged.Findings)
				}
			}
		}
	}
}
