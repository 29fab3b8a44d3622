//go:build kgrace_sim

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simkubelet

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/player"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Durations of a scenario, in virtual time. None affects a verdict.
const (
	// dawn is how long the kubelet runs before the pod is created: by then it has read the node and the services.
	dawn = time.Second + 90*time.Millisecond
	// rest is how long a pod runs before the first request, so that start and end do not overlap. It is not a multiple of any
	// period of the kubelet.
	rest = 7*time.Second + 370*time.Millisecond
	// settle is how long the scenario is observed after its end.
	settle = 3 * time.Second
)

// Play is one scenario to be played.
type Play struct {
	Minor     string
	Arm       verdict.Arm
	Behaviour sim.Behaviour
	Scenario  scenario.Scenario
}

// Run plays the scenario in a bubble of its own and returns its history. It always returns a history; if the scenario could not
// be played, the history says so. Plays run one at a time in a process, because the kubelet keeps some state in package
// variables.
func (p Play) Run(t *testing.T) (h history.History) {
	// The kubelet delays retries by a random time. The same play must give the same history, so reseed for each play; the
	// suite's files allow that (randseednop).
	rand.Seed(1)
	header := history.Header{Scenario: p.Scenario.ID, Arm: string(p.Arm), Level: string(scenario.LevelSim), Minor: p.Minor,
		Pod: p.Scenario.ID, Versions: map[string]string{"runtime": "sim " + string(p.Behaviour)}}
	h.Header = header
	defer func() {
		// Leftover goroutines of a bubble show only as a panic here, with the goroutines in the dump of all.
		if r := recover(); r != nil {
			h.Events = append(h.Events, history.Event{Seq: len(h.Events) + 1, At: time.Unix(0, 0), Kind: history.Abandoned,
				Pod: header.Pod, Message: fmt.Sprintf("%v\n%s", r, leftovers())})
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		recorder := history.NewRecorder()
		target, more := player.Names(p.Scenario, nodeName)
		log, err := recorder.Open(header, more...)
		if err == nil {
			err = p.play(t.Context(), recorder, &player.Play{Level: scenario.LevelSim, Scenario: p.Scenario.At(scenario.LevelSim),
				Log: log, Target: target, Settle: settle})
		}
		if err != nil {
			log.Add(history.Event{Kind: history.Abandoned, Message: err.Error()})
		}
		h = log.History()
	})
	return h
}

// leftovers returns the stacks of the goroutines left in bubbles.
func leftovers() string {
	buffer := make([]byte, 4<<20)
	buffer = buffer[:runtime.Stack(buffer, true)]
	var left []string
	for stack := range strings.SplitSeq(string(buffer), "\n\n") {
		if first, _, _ := strings.Cut(stack, "\n"); strings.Contains(first, "synctest bubble") {
			left = append(left, stack)
		}
	}
	return strings.Join(left, "\n\n")
}

func (p Play) play(ctx context.Context, recorder *history.Recorder, play *player.Play) (err error) {
	node, err := Up(ctx, p.Behaviour, recorder)
	if err != nil {
		return err
	}
	place := &place{Node: node}
	play.Place = place
	play.Observed = func() {
		if node.Kubelet == nil {
			return
		}
		if left := node.Kubelet.Killing(); left > 0 {
			play.Log.Add(history.Event{Kind: history.KubeletLeft, Pod: play.Target, Count: int32(left)})
		}
	}
	defer func() {
		place.callers.Wait()
		err = errors.Join(err, node.Down(), play.End())
	}()
	time.Sleep(dawn)
	if err := play.Prepare(ctx); err != nil {
		return err
	}
	if !p.Scenario.Pulls() {
		time.Sleep(rest)
	}
	return play.Act(ctx)
}
