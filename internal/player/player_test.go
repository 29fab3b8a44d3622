// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package player

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/fault"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// paper is a place where a pod runs at once and is gone when it is deleted with grace 0.
type paper struct {
	log    *history.Log
	faults int
}

func (p *paper) Create(_ context.Context, s scenario.Scenario) error {
	p.log.Add(history.Event{Kind: history.APIPod, Pod: s.ID, Reason: "ADDED", Message: "Running"})
	p.log.Add(history.Event{Kind: history.Line, Pod: s.ID, Container: "main", Reason: "START"})
	return nil
}

func (p *paper) Delete(_ context.Context, pod string, grace *int64) error {
	if grace == nil || *grace > 0 {
		return errors.New("refused")
	}
	p.log.Add(history.Event{Kind: history.ContainerExit, Pod: pod, Container: "main"})
	p.log.Add(history.Event{Kind: history.CRIReturn, Pod: pod, Call: "StopPodSandbox"})
	p.log.Add(history.Event{Kind: history.APIPod, Pod: pod, Reason: "DELETED"})
	return nil
}

func (*paper) Annotate(_ context.Context, pod, key, value string) error     { return nil }
func (*paper) RemoveFinalizers(context.Context, string) error               { return nil }
func (*paper) WriteManifest(context.Context, scenario.Scenario, bool) error { return nil }
func (*paper) RemoveManifest(context.Context, scenario.Scenario) error      { return nil }
func (*paper) KillKubelet(context.Context) error                            { return nil }
func (*paper) StartKubelet(context.Context) error                           { return nil }
func (*paper) RestartRuntime(context.Context) error                         { return nil }
func (*paper) Carry(_ context.Context, p *Play, _ scenario.Action) error    { return p.CannotCarry() }
func (p *paper) Inject(fault.Fault) (remove func(), err error) {
	p.faults++
	return func() { p.faults-- }, nil
}

// A play carries out its steps in time, records each delete with its answer and each other step with its result, and ends when
// the scenario is over.
func TestPlay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scenario.Scenario{ID: "a", Pod: scenario.Pod{Grace: 30, Containers: []scenario.Container{{Name: "main"}}},
			Faults: []scenario.Fault{{Call: "StopContainer", Fails: true}},
			Steps: []scenario.Step{{Do: scenario.Delete{Grace: 30}}, {After: 2 * time.Second, Do: scenario.Drain{}},
				{After: 2 * time.Second, Do: scenario.Evict{}}, {After: 3 * time.Second, Do: scenario.Force{}}}}
		target, more := Names(s, "node")
		log, err := history.NewRecorder().Open(history.Header{Scenario: "a", Pod: "a"}, more...)
		if err != nil {
			t.Fatal(err)
		}
		place := &paper{log: log}
		p := &Play{Place: place, Level: scenario.LevelSim, Scenario: s, Log: log, Target: target, Settle: time.Second}
		if err := p.Prepare(t.Context()); err != nil || place.faults != 1 {
			t.Fatalf("%v, %d faults", err, place.faults)
		}
		begin := time.Now()
		if err := p.Act(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := p.End(); err != nil || place.faults != 0 {
			t.Errorf("%v, %d faults left", err, place.faults)
		}
		var got []string
		for _, e := range log.History().Events[2:] {
			got = append(got, fmt.Sprintf("%v %s %s", e.At.Sub(begin), e.Kind, e.Error))
		}
		want := []string{"0s harness.armed ", "0s api.delete ", "0s api.deleted refused",
			"2s harness.step level sim cannot carry this out", "2s harness.step level sim cannot carry this out",
			"3s api.delete ", "3s cri.exit ", "3s cri.return ", "3s api.pod ", "3s api.deleted ", "4s harness.finished "}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		s      scenario.Scenario
		target string
		more   []string
	}{
		{scenario.Scenario{ID: "a"}, "a", nil},
		{scenario.Scenario{ID: "a", Pod: scenario.Pod{Static: true}}, "a-node", []string{"a-node"}},
		{scenario.Scenario{ID: "a", Pod: scenario.Pod{Owner: scenario.OwnerJob}}, "", []string{"a-*"}},
		{scenario.Scenario{ID: "a", Steps: []scenario.Step{{Do: scenario.Burst{Pods: 2}}}}, "a", []string{"a-0", "a-1"}},
	} {
		target, more := Names(c.s, "node")
		if diff := cmp.Diff(c.more, more); target != c.target || diff != "" {
			t.Errorf("%s %s", target, diff)
		}
	}
}
