// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/player"
	"github.com/kgrace/kgrace/internal/regress"
	"github.com/kgrace/kgrace/internal/scenario"
)

// paper is a place whose pods run at once and end by a kubelet that knows only zero: with the first delete it asks the runtime to kill,
// at once.
type paper struct {
	*place
	record *history.Recorder
	// never makes pods not run, deaf keeps them alive until they are deleted once more.
	never, deaf bool
	asked       map[string]int
	pods        map[string]scenario.Scenario
}

func (p *paper) Create(_ context.Context, s scenario.Scenario) error {
	if p.never {
		return errors.New("refused")
	}
	p.pods[s.ID] = s
	p.record.Add(history.Event{Kind: history.APIPod, Pod: s.ID, Reason: "ADDED", Message: "Running"})
	for _, c := range s.Pod.All() {
		id := s.ID + "/" + c.Name
		p.record.Add(history.Event{Kind: history.CRICall, Pod: s.ID, Container: c.Name, ContainerID: id, Call: "StartContainer", CallID: 1})
		p.record.Add(history.Event{Kind: history.CRIReturn, Pod: s.ID, Container: c.Name, ContainerID: id, Call: "StartContainer", CallID: 1})
		p.record.Add(history.Event{Kind: history.Line, Pod: s.ID, Container: c.Name, Reason: "START"})
	}
	return nil
}

func (p *paper) Delete(_ context.Context, pod string, grace *int64) error {
	p.asked[pod]++
	s, there := p.pods[pod]
	if !there {
		return errors.New("not found")
	}
	if p.deaf && p.asked[pod] <= len(s.Steps) {
		return nil
	}
	time.Sleep(50 * time.Millisecond) // virtual time (synctest): what the kubelet takes to kill
	for _, c := range s.Pod.All() {
		killed := int32(137)
		p.record.Add(history.Event{Kind: history.CRICall, Pod: pod, Container: c.Name, ContainerID: pod + "/" + c.Name, Call: "StopContainer", CallID: 2, Grace: new(int64)})
		p.record.Add(history.Event{Kind: history.ContainerExit, Pod: pod, Container: c.Name, ContainerID: pod + "/" + c.Name, ExitCode: &killed})
		p.record.Add(history.Event{Kind: history.CRIReturn, Pod: pod, Container: c.Name, ContainerID: pod + "/" + c.Name, Call: "StopContainer", CallID: 2})
	}
	p.record.Add(history.Event{Kind: history.CRICall, Pod: pod, Call: "StopPodSandbox", CallID: 3})
	p.record.Add(history.Event{Kind: history.CRIReturn, Pod: pod, Call: "StopPodSandbox", CallID: 3})
	p.record.Add(history.Event{Kind: history.APIPod, Pod: pod, Reason: "DELETED", Grace: grace})
	delete(p.pods, pod)
	// A kubelet removes the container when it likes to, and the runtime takes its time.
	for kind, at := range map[history.Kind]time.Duration{history.CRICall: settle - 50*time.Millisecond, history.CRIReturn: settle + time.Second} {
		time.AfterFunc(at, func() {
			p.record.Add(history.Event{Kind: kind, Pod: pod, Container: "main", Call: "RemoveContainer", CallID: 4})
		})
	}
	return nil
}

var _ player.Place = (*paper)(nil)

// play plays lanes at the paper place for a time.
func play(t *testing.T, p *paper, d time.Duration) (*lanes, string) {
	dir := t.TempDir()
	p.place, p.record = &place{}, history.NewRecorder()
	p.asked, p.pods = map[string]int{}, map[string]scenario.Scenario{}
	l := &lanes{options: Options{Seed: 3, Artifacts: dir}, place: p, recorder: p.record, logf: t.Logf, waits: regress.NewWaits(p.record), ledger: &Ledger{},
		header: history.Header{Arm: "fixed", Level: "node"}, starts: make(chan struct{}, 1), recording: func() error { return nil },
		results: Results{Rules: map[scenario.Rule]Tally{}}}
	l.run(t.Context(), 1, time.Now().Add(d))
	if len(l.errs) > 0 {
		t.Fatal(l.errs)
	}
	return l, dir
}

// Pods come and go one after the other until the time is over; the judges see that they were killed too early, and the histories of
// those are kept.
func TestLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, dir := play(t, &paper{}, 2*time.Minute)
		r := l.results
		if r.Pods < 5 || r.NotBegun > 0 || r.Undisturbed != r.Pods || l.alive != 0 || len(l.endless) > 0 {
			t.Errorf("%d pods, %d not begun, %d undisturbed, %d alive, endless: %v", r.Pods, r.NotBegun, r.Undisturbed, l.alive, l.endless)
		}
		if r.Rules[scenario.Deadline].Broken == 0 || len(r.Broken) == 0 {
			t.Fatalf("nobody saw pods that were killed at once: %+v", r.Rules)
		}
		for _, f := range r.Broken {
			if _, err := os.Stat(filepath.Join(dir, f.History)); err != nil {
				t.Errorf("%s: %v", f.Pod, err)
			}
		}
		if r.Requests < r.Pods || r.Shortenings != 0 {
			t.Errorf("%d requests, %d shortenings of pods that the first one ended", r.Requests, r.Shortenings)
		}
	})
}

// A pod that does not end when it was asked to is written down, and ended by force, so that the next one can come.
func TestEndlessPod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{deaf: true}
		l, _ := play(t, p, time.Minute)
		if len(p.pods) > 0 {
			t.Errorf("%d pods were left when the next ones came", len(p.pods))
		}
		if len(l.endless) == 0 || l.results.Pods == 0 {
			t.Fatalf("endless: %v, %d pods", l.endless, l.results.Pods)
		}
		if t0 := l.results.Rules[scenario.Ends]; t0.Broken == 0 {
			t.Errorf("R11: %+v", t0)
		}
		if l.results.Shortenings == 0 {
			t.Error("no shortening was counted")
		}
		if c := ended(l.results, l.endless); c.Outcome != scenario.Broken {
			t.Errorf("%+v", c)
		}
	})
}

// A pod that never ran is no verdict about the kubelet, but too many of them make the run invalid.
func TestPodsThatNeverRan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{never: true}
		p.place, p.record = &place{}, history.NewRecorder()
		p.asked, p.pods = map[string]int{}, map[string]scenario.Scenario{}
		l := &lanes{options: Options{Seed: 3, Artifacts: t.TempDir()}, place: p, recorder: p.record, logf: t.Logf, waits: regress.NewWaits(p.record), ledger: &Ledger{},
			starts: make(chan struct{}, 1), recording: func() error { return nil }, results: Results{Rules: map[scenario.Rule]Tally{}}}
		if err := l.one(t.Context(), 0, 0); err != nil {
			t.Fatal(err)
		}
		if l.results.NotBegun != 1 || l.results.Pods != 0 || !strings.Contains(l.results.Why[0], "refused") {
			t.Errorf("%+v", l.results)
		}
		if c := begun(l.results); c.Outcome != scenario.Invalid {
			t.Errorf("%+v", c)
		}
	})
}
