// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package player

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/podspec"
	"github.com/kgrace/kgrace/internal/scenario"
)

// ArmTimeout is how long a pod may take to run. It affects no verdict: a scenario that does not begin is invalid.
const ArmTimeout = 2 * time.Minute

// Play is one scenario to be played at a place.
type Play struct {
	Place Place
	Level scenario.Level
	// Scenario is the scenario as it runs at the level.
	Scenario scenario.Scenario
	// Log receives the player's actions; all other events reach it from the place's recorder.
	Log *history.Log
	// Target is the pod's name in the API and at the runtime; see Names.
	Target string

	// StepTimeout limits the duration of a step; 0 means no limit.
	StepTimeout time.Duration
	// Settle is how long the scenario is observed after its end.
	Settle time.Duration
	// At is called with what the play waits for; Lost returns how much of the time since the given one does not count. Both may
	// be nil.
	At   func(format string, args ...any)
	Lost func(since time.Time) time.Duration
	// Observed is called after the observation, before the history is closed; nil for nothing.
	Observed func()

	faults *podspec.Faults
}

// Names returns the name of a scenario's pod on a node, "" if a controller chooses it, and the names of the other pods that
// belong to the same history.
func Names(s scenario.Scenario, node string) (target string, more []string) {
	switch target = s.ID; {
	case s.Pod.Owner != "":
		target = ""
		more = append(more, history.Generated(s.ID))
	case s.Pod.Static:
		target += "-" + node
		more = append(more, target)
	}
	for _, step := range s.Steps {
		if burst, ok := step.Do.(scenario.Burst); ok {
			for n := range burst.Pods {
				more = append(more, burst.Name(s.ID, n))
			}
		}
	}
	return target, more
}

// Prepare injects the faults, creates the pod and waits until the scenario can begin.
func (p *Play) Prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, ArmTimeout, fmt.Errorf("not within %v", ArmTimeout))
	defer cancel()
	var err error
	p.faults, err = podspec.Inject(p.Scenario.Faults, func(f scenario.Fault) (func(), error) {
		return p.Place.Inject(podspec.Fault(f, p.Target))
	})
	if err != nil {
		return err
	}
	p.at("its pod to run")
	arming := podspec.Arming(p.Scenario)
	if arming == nil {
		return nil
	}
	if err := p.create(ctx); err != nil {
		return fmt.Errorf("create the pod: %w", err)
	}
	if _, err := p.Log.Wait(ctx, "the pod to reach the start of the scenario", arming); err != nil {
		return fmt.Errorf("the pod never reached the start of the scenario: %w", err)
	}
	return nil
}

func (p *Play) create(ctx context.Context) error {
	if p.Scenario.Pod.Static {
		return p.Place.WriteManifest(ctx, p.Scenario, false)
	}
	return p.Place.Create(ctx, p.Scenario)
}

// Act carries out the steps and observes the result. An error means that the scenario could not be played.
func (p *Play) Act(ctx context.Context) error {
	p.at("its steps")
	p.Log.Add(history.Event{Kind: history.Armed})
	first := time.Now()
	defer p.faults.Begin()()
	for _, step := range p.Scenario.Steps {
		if err := Until(ctx, first.Add(step.After)); err != nil {
			return err
		}
		p.Do(ctx, step.Do)
	}
	over, err := p.observe(ctx, first)
	if err != nil {
		return err
	}
	if over {
		if err := Until(ctx, time.Now().Add(p.Settle)); err != nil {
			return err
		}
	}
	if p.Observed != nil {
		p.Observed()
	}
	p.Log.Add(history.Event{Kind: history.Finished})
	return nil
}

// errOver ends an observation that did not see the end of the scenario; the judges decide what that means.
var errOver = errors.New("the observation is over")

// observe waits until the scenario is over and reports whether that was observed in time.
func (p *Play) observe(ctx context.Context, first time.Time) (over bool, err error) {
	for {
		end := first.Add(p.Scenario.WatchFor(p.Level))
		if p.Lost != nil {
			end = end.Add(p.Lost(first))
		}
		if !time.Now().Before(end) {
			return false, nil
		}
		p.at("its end, at most %.0f s more", time.Until(end).Seconds())
		watching, cancel := context.WithDeadlineCause(ctx, end, errOver)
		err := p.Log.WaitAll(watching, "the pod's end", func(events []history.Event) bool { return podspec.Over(p.Scenario, events) })
		cancel()
		if err == nil || !errors.Is(err, errOver) {
			return err == nil, err
		}
	}
}

// End removes the faults.
func (p *Play) End() error {
	if p.faults == nil {
		return nil
	}
	return p.faults.End()
}

func (p *Play) at(format string, args ...any) {
	if p.At != nil {
		p.At(format, args...)
	}
}

// Until waits until the given time.
func Until(ctx context.Context, at time.Time) error {
	wait := time.Until(at)
	if wait <= 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
