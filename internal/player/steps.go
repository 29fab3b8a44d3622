// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package player

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/podspec"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Do carries out one step. A delete, an eviction and their answers are events of their own; any other action is one event when
// it is done, with its error if it failed.
func (p *Play) Do(ctx context.Context, do scenario.Action) {
	if p.StepTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, p.StepTimeout, fmt.Errorf("not within %v", p.StepTimeout))
		defer cancel()
	}
	var err error
	switch do := do.(type) {
	case scenario.Delete:
		p.Delete(ctx, p.Target, &do.Grace)
		return
	case scenario.DeletePlainly:
		p.Delete(ctx, p.Target, nil)
		return
	case scenario.Force:
		p.Delete(ctx, p.Target, new(int64))
		return
	case scenario.Burst:
		p.burst(ctx, do)
		return
	case scenario.Evict, scenario.Shutdown:
		if place, ok := p.Place.(Killer); ok {
			place.Kill(ctx, p, do)
			return
		}
		err = p.CannotCarry()
	default:
		err = p.disturb(ctx, do)
	}
	step := history.Event{Kind: history.Step, Reason: do.String()}
	if err != nil {
		step.Error = err.Error()
	}
	p.Log.Add(step)
}

func (p *Play) disturb(ctx context.Context, do scenario.Action) error {
	switch do.(type) {
	case scenario.RemoveManifest:
		p.Log.Add(history.Event{Kind: history.Manifest, Reason: "REMOVED"})
		return p.Place.RemoveManifest(ctx, p.Scenario)
	case scenario.ChangeManifest:
		p.Log.Add(history.Event{Kind: history.Manifest, Reason: "CHANGED"})
		return p.Place.WriteManifest(ctx, p.Scenario, true)
	case scenario.AddManifest:
		p.Log.Add(history.Event{Kind: history.Manifest, Reason: "ADDED"})
		return p.Place.WriteManifest(ctx, p.Scenario, false)
	case scenario.ForceMirror:
		p.Delete(ctx, p.Target, new(int64))
		return nil
	case scenario.Touch:
		return p.Place.Annotate(ctx, p.Target, podspec.Touched, "once")
	case scenario.RemoveFinalizer:
		return p.Place.RemoveFinalizers(ctx, p.Target)
	case scenario.KillKubelet:
		return p.Place.KillKubelet(ctx)
	case scenario.StartKubelet:
		return p.Place.StartKubelet(ctx)
	case scenario.RestartRuntime:
		return p.Place.RestartRuntime(ctx)
	}
	return p.Place.Carry(ctx, p, do)
}

// CannotCarry returns the error of Carry for a step that the place cannot carry out.
func (p *Play) CannotCarry() error { return fmt.Errorf("level %s cannot carry this out", p.Level) }

// Delete sends one delete; nil requests no grace. A refusal by the API server is part of the history, not an error of the run.
func (p *Play) Delete(ctx context.Context, pod string, grace *int64) {
	p.Log.Add(history.Event{Kind: history.APIDelete, Pod: pod, Grace: grace})
	answer := history.Event{Kind: history.APIDeleted, Pod: pod, Grace: grace}
	if err := p.Place.Delete(ctx, pod, grace); err != nil {
		answer.Error = err.Error()
	}
	p.Log.Add(answer)
}

// burst creates the pods of a burst and deletes each at its time.
func (p *Play) burst(ctx context.Context, burst scenario.Burst) {
	p.Log.Add(history.Event{Kind: history.Step, Reason: burst.String()})
	var wait sync.WaitGroup
	for n := range burst.Pods {
		wait.Go(func() {
			one := p.Scenario
			one.ID = burst.Name(p.Scenario.ID, n)
			err := p.Place.Create(ctx, one)
			if err == nil {
				err = Until(ctx, time.Now().Add(burst.Delay(n)))
			}
			if err != nil {
				p.Log.Add(history.Event{Kind: history.Step, Reason: "create pod " + one.ID, Error: err.Error()})
				return
			}
			p.Delete(ctx, one.ID, &burst.Grace)
		})
	}
	wait.Wait()
}
