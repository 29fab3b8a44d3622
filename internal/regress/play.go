/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package regress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// play is one scenario on one arm.
type play struct {
	*bench
	row      scenario.Scenario // as in the catalogue
	scenario scenario.Scenario // as it runs at this level
	log      *history.Log
	armed    bool
	// err is trouble with files; all else is in the history.
	err error
}

func (b *bench) newPlay(row scenario.Scenario) (*play, error) {
	log, err := b.recorder.Open(history.Header{
		Scenario: row.ID, Arm: string(b.arm), Level: string(scenario.LevelNode), Minor: b.run.options.Minor,
		Pod: row.ID, Versions: b.versions,
	})
	return &play{bench: b, row: row, scenario: row.At(scenario.LevelNode), log: log}, err
}

// prepare creates the pod and waits until it runs and every container said START.
func (p *play) prepare(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(ctx, armTimeout, fmt.Errorf("not within %v", armTimeout))
	defer cancel()
	_, err := p.client.CoreV1().Pods(namespace).Create(ctx, podOf(p.scenario, p.node.NodeName(), p.node.LinesDir()),
		metav1.CreateOptions{})
	if err != nil {
		p.abandon(fmt.Errorf("create the pod: %w", err))
		return
	}
	starting := map[string]bool{}
	for _, c := range p.scenario.Pod.All() {
		starting[c.Name] = true
	}
	running := false
	_, err = p.log.Wait(ctx, "the pod to run and every container to say START", func(e history.Event) bool {
		switch e.Kind {
		case history.Line:
			if e.Reason == "START" {
				delete(starting, e.Container)
			}
		case history.APIPod:
			running = running || e.Message == string(corev1.PodRunning)
		}
		return running && len(starting) == 0
	})
	if err != nil {
		p.abandon(fmt.Errorf("the pod never ran: %w", err))
		return
	}
	p.armed = true
}

// perform carries the steps out, the first at start, observes, and puts the result.
func (p *play) perform(ctx context.Context, start time.Time) {
	if p.armed {
		if err := p.act(ctx, start); err != nil {
			p.abandon(err)
		} else if err := p.recording(); err != nil {
			p.abandon(fmt.Errorf("the recording is not whole: %w", err))
		} else if err := p.pulse.since(start); err != nil {
			p.abandon(err)
		}
	}
	h := p.log.History()
	result := Result(h, p.row)
	result.History = HistoryPath(scenario.LevelNode, p.bench.arm, p.row.ID)
	p.err = history.WriteFile(filepath.Join(p.run.options.Artifacts, result.History), h)
	p.run.put(p.bench.arm, result)
}

// act plays the scenario to its end. An error means that it could not be played.
func (p *play) act(ctx context.Context, start time.Time) error {
	if err := until(ctx, start); err != nil {
		return err
	}
	p.log.Add(history.Event{Kind: history.Armed})
	first := time.Now()
	for _, step := range p.scenario.Steps {
		if err := until(ctx, first.Add(step.After)); err != nil {
			return err
		}
		p.request(ctx, step.Do)
	}
	end := first.Add(p.scenario.Longest() + beyond)
	watching, cancel := context.WithDeadlineCause(ctx, end, errOver)
	defer cancel()
	err := p.log.WaitAll(watching, "the pod's end", p.over)
	if err != nil && !errors.Is(err, errOver) {
		return err
	}
	if err == nil {
		if err := until(ctx, time.Now().Add(settle)); err != nil {
			return err
		}
	}
	p.log.Add(history.Event{Kind: history.Finished})
	return nil
}

// errOver ends an observation that saw no end; the judges say what that means.
var errOver = errors.New("the observation is over")

// request sends one delete. What the API server refuses is part of the history, not of this run's errors.
func (p *play) request(ctx context.Context, do scenario.Action) {
	ctx, cancel := context.WithTimeout(ctx, request)
	defer cancel()
	var grace int64
	if d, ok := do.(scenario.Delete); ok {
		grace = d.Grace
	}
	p.log.Add(history.Event{Kind: history.APIDelete, Grace: &grace})
	err := p.client.CoreV1().Pods(namespace).Delete(ctx, p.row.ID, metav1.DeleteOptions{GracePeriodSeconds: &grace})
	answer := history.Event{Kind: history.APIDeleted, Grace: &grace}
	if err != nil {
		answer.Error = err.Error()
	}
	p.log.Add(answer)
}

// over says that nothing more is to come: all containers ended, the sandbox was stopped after them, the pod left the API,
// and every call that was seen has returned.
func (p *play) over(events []history.Event) bool {
	alive := map[string]bool{}
	for _, c := range p.scenario.Pod.All() {
		alive[c.Name] = true
	}
	gone, stopped := false, false
	open := map[int64]bool{}
	for _, e := range events {
		switch e.Kind {
		case history.ContainerExit:
			delete(alive, e.Container)
		case history.APIPod:
			gone = gone || e.Reason == "DELETED"
		case history.CRICall:
			open[e.CallID] = true
		case history.CRIReturn:
			delete(open, e.CallID)
			stopped = stopped || e.Call == "StopPodSandbox" && e.Error == ""
		}
	}
	return gone && stopped && len(alive) == 0 && len(open) == 0
}

func (p *play) abandon(err error) {
	p.log.Add(history.Event{Kind: history.Abandoned, Message: err.Error()})
}

// until waits for a moment.
func until(ctx context.Context, at time.Time) error {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func trimmed(text []byte) string { return string(bytes.TrimSpace(text)) }
