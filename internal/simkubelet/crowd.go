//go:build kgrace_sim && !kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simkubelet

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/player"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Crowd is many scenarios at once on one node: each has a pod of its own, and none disturbs the node.
type Crowd struct {
	Play
	// Each are the scenarios, with the time from when all pods run to the first step.
	Each []Member
}

// Member is a scenario of a crowd.
type Member struct {
	Scenario scenario.Scenario
	Begin    time.Duration
}

// Run plays all scenarios in one bubble. It returns their histories, and how many pods the kubelet still kept as being killed
// after the last one had ended.
func (c Crowd) Run(t *testing.T) (histories []history.History, kept int, err error) {
	rand.Seed(1) // as in Play.Run
	synctest.Test(t, func(t *testing.T) { histories, kept, err = c.run(t.Context()) })
	return histories, kept, err
}

func (c Crowd) run(ctx context.Context) (histories []history.History, kept int, err error) {
	recorder := history.NewRecorder()
	node, err := Up(ctx, c.Behaviour, recorder)
	if err != nil {
		return nil, 0, err
	}
	place := &place{Node: node}
	defer func() {
		place.callers.Wait()
		err = errors.Join(err, node.Down())
	}()
	time.Sleep(dawn)
	plays := make([]*player.Play, len(c.Each))
	errs := make([]error, len(c.Each))
	all := func(do func(i int) error) error {
		var wait sync.WaitGroup
		for i := range c.Each {
			wait.Go(func() {
				if err := do(i); err != nil {
					errs[i] = fmt.Errorf("%s: %w", c.Each[i].Scenario.ID, err)
				}
			})
		}
		wait.Wait()
		return errors.Join(errs...)
	}
	for i, member := range c.Each {
		s := member.Scenario
		header := history.Header{Scenario: s.ID, Arm: string(c.Arm), Level: string(scenario.LevelSim), Minor: c.Minor, Pod: s.ID}
		log, err := recorder.Open(header)
		if err != nil {
			return nil, 0, err
		}
		plays[i] = &player.Play{Place: place, Level: scenario.LevelSim, Scenario: s, Log: log, Target: s.ID, Settle: settle}
	}
	if err := all(func(i int) error { return plays[i].Prepare(ctx) }); err != nil {
		return nil, 0, err
	}
	time.Sleep(rest)
	err = all(func(i int) error {
		time.Sleep(c.Each[i].Begin)
		return errors.Join(plays[i].Act(ctx), plays[i].End())
	})
	for _, play := range plays {
		histories = append(histories, play.Log.History())
	}
	return histories, node.Kubelet.Killing(), err
}
