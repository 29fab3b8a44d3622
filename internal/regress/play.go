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
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kgrace/kgrace/internal/cast"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
)

// play is one scenario on one arm.
type play struct {
	*bench
	row      scenario.Scenario // as in the catalogue
	scenario scenario.Scenario // as it runs at this level
	log      *history.Log
	// target is the pod's name in the API and at the runtime.
	target string
	faults *cast.Faults
	armed  bool
	// second says why the first run of the scenario decided nothing, if this is the second.
	second string
	// result is there when it has been performed; interrupted says that the run, or its recording, ended first.
	result      result.Result
	interrupted bool
	// err is trouble with files; all else is in the history.
	err error

	mu    sync.Mutex
	stage string // what it waits for
}

// newPlay makes the play of a scenario; second says why it is played a second time, "" if it is not.
func (b *bench) newPlay(row scenario.Scenario, second string) (*play, error) {
	s := row.At(b.run.options.Level)
	if second != "" {
		s.ID += "-again" // the first one's pod may still be in the API
	}
	p := &play{bench: b, row: row, scenario: s, target: s.ID, second: second}
	var more []string
	if s.Pod.Owner != "" {
		p.target = "" // the controller gives it
		more = append(more, history.Generated(s.ID))
	}
	if s.Pod.Static {
		p.target = s.ID + "-" + b.node.NodeName()
		more = append(more, p.target)
	}
	for _, step := range s.Steps {
		if burst, ok := step.Do.(scenario.Burst); ok {
			for n := range burst.Pods {
				more = append(more, burst.Name(s.ID, n))
			}
		}
	}
	var err error
	p.log, err = b.recorder.Open(history.Header{
		Scenario: row.ID, Arm: string(b.arm), Level: string(b.run.options.Level), Minor: b.run.options.Minor,
		Pod: s.ID, Second: second, Versions: b.versions,
	}, more...)
	return p, err
}

// prepare puts the faults in place, creates the pod and waits until the scenario can begin.
func (p *play) prepare(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(ctx, armTimeout, fmt.Errorf("not within %v", armTimeout))
	defer cancel()
	var err error
	p.faults, err = cast.Inject(p.scenario.Faults, func(f scenario.Fault) (func(), error) {
		place, ok := p.node.(faulty)
		if !ok {
			return nil, fmt.Errorf("level %s cannot make the runtime fail", p.run.options.Level)
		}
		return place.Inject(cast.Fault(f, p.target))
	})
	if err != nil {
		p.abandon(err)
		return
	}
	p.at("its pod to run")
	arming := cast.Arming(p.scenario)
	if arming == nil {
		p.armed = true
		return
	}
	if err := p.create(ctx); err != nil {
		p.abandon(fmt.Errorf("create the pod: %w", err))
		return
	}
	if _, err := p.log.Wait(ctx, "the pod to be where the scenario begins", arming); err != nil {
		p.abandon(fmt.Errorf("the pod never got there: %w", err))
		return
	}
	if p.scenario.Pod.Owner != "" {
		var err error
		if p.target, err = p.owned(ctx); err != nil {
			p.abandon(err)
			return
		}
	}
	p.armed = true
}

func (p *play) create(ctx context.Context) error {
	if p.scenario.Pod.Static {
		return p.writeManifest(false)
	}
	pod := p.pod()
	if p.scenario.Pod.Owner != "" {
		return p.createOwner(ctx, pod)
	}
	_, err := p.client.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{})
	return err
}

// perform carries the steps out, the first at start, observes, and has the history judged.
func (p *play) perform(ctx context.Context, start time.Time) {
	if p.armed {
		if err := p.act(ctx, start); err != nil {
			p.abandon(err)
		} else if err := p.recording(); err != nil {
			p.abandon(fmt.Errorf("the recording is not whole: %w", err))
		}
	}
	// Before the result is there: with the last one the run is over, and its context may end.
	p.tidy(ctx)
	for _, e := range p.waits.since(start) {
		p.log.Add(e)
	}
	h := p.log.History()
	p.result = result.Of(h, p.row)
	p.result.History = result.HistoryPath(p.run.options.Level, p.bench.arm, p.row.ID)
	p.interrupted = ctx.Err() != nil || p.recording() != nil
	p.err = errors.Join(p.err, history.WriteFile(filepath.Join(p.run.options.Artifacts, p.result.History), h))
	p.at("")
}

// act plays the scenario to its end. An error means that it could not be played.
func (p *play) act(ctx context.Context, start time.Time) error {
	p.at("its turn")
	if err := until(ctx, start); err != nil {
		return err
	}
	p.at("its steps")
	p.log.Add(history.Event{Kind: history.Armed})
	first := time.Now()
	defer p.faults.Begin()()
	for _, step := range p.scenario.Steps {
		if err := until(ctx, first.Add(step.After)); err != nil {
			return err
		}
		p.do(ctx, step.Do)
	}
	over, err := p.observe(ctx, first)
	if err != nil {
		return err
	}
	if over {
		if err := until(ctx, time.Now().Add(settle)); err != nil {
			return err
		}
	}
	p.log.Add(history.Event{Kind: history.Finished})
	return nil
}

// observe waits until all is over; false if that was not seen in time. Time in which a control was kept waiting does not count.
func (p *play) observe(ctx context.Context, first time.Time) (over bool, err error) {
	for {
		end := first.Add(p.scenario.WatchFor(p.run.options.Level) + p.waits.lost(first))
		if !time.Now().Before(end) {
			return false, nil
		}
		p.at("its end, at most until %.0f s", end.Sub(p.run.begin).Seconds())
		watching, cancel := context.WithDeadlineCause(ctx, end, errOver)
		err := p.log.WaitAll(watching, "the pod's end", func(events []history.Event) bool { return cast.Over(p.scenario, events) })
		cancel()
		if err == nil || !errors.Is(err, errOver) {
			return err == nil, err
		}
	}
}

// errOver ends an observation that saw no end; the judges say what that means.
var errOver = errors.New("the observation is over")

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
