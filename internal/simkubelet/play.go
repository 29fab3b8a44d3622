//go:build kgrace_sim

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

package simkubelet

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kgrace/kgrace/internal/cast"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Durations of a scenario, in virtual time. None decides a verdict.
const (
	// dawn is how long the kubelet runs before there is a pod: by then it has read the node and the services.
	dawn = time.Second + 90*time.Millisecond
	// armTimeout is how long a pod may take to run.
	armTimeout = 2 * time.Minute
	// rest is how long a pod runs before the first request, so that no start-up is mixed with the end. It is no multiple of
	// any period of the kubelet.
	rest = 7*time.Second + 370*time.Millisecond
	// way is how long a request takes to the API server.
	way = time.Millisecond
	// settle is how long it is observed after all is over.
	settle = 3 * time.Second
)

// Play is one scenario to be played.
type Play struct {
	Minor       string
	Arm         verdict.Arm
	Personality sim.Personality
	Scenario    scenario.Scenario
}

// Run plays the scenario in a bubble of its own and returns what happened. It always returns a history; one that could not
// be played says so. Plays run one at a time in a process: the kubelet keeps some things in package variables.
func (p Play) Run(t *testing.T) (h history.History) {
	// The kubelet puts retries off by a random time. The same play is to be the same history, so chance begins anew with each;
	// the suite's files say that it may (randseednop).
	rand.Seed(1)
	header := history.Header{Scenario: p.Scenario.ID, Arm: string(p.Arm), Level: string(scenario.LevelSim), Minor: p.Minor,
		Pod: p.Scenario.ID, Versions: map[string]string{"runtime": "sim " + string(p.Personality)}}
	h.Header = header
	defer func() {
		// What is left in a bubble shows only as a panic here, with the goroutines in the dump of all.
		if r := recover(); r != nil {
			h.Events = append(h.Events, history.Event{Seq: len(h.Events) + 1, At: time.Unix(0, 0), Kind: history.Abandoned,
				Pod: header.Pod, Message: fmt.Sprintf("%v\n%s", r, leftovers())})
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		recorder := history.NewRecorder()
		log, err := recorder.Open(header, pods(p.Scenario)...)
		if err == nil {
			err = p.play(t.Context(), recorder, log)
		}
		if err != nil {
			log.Add(history.Event{Kind: history.Abandoned, Message: err.Error()})
		}
		h = log.History()
	})
	return h
}

// leftovers are the stacks of the goroutines that are left in bubbles.
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

// stage is a scenario being played.
type stage struct {
	*Node
	s   scenario.Scenario
	log *history.Log
	// target is the pod's name in the API and at the runtime.
	target string
	// callers are goroutines that stand for callers inside the kubelet.
	callers sync.WaitGroup
	calls   atomic.Int64
}

func (p Play) play(ctx context.Context, recorder *history.Recorder, log *history.Log) (err error) {
	node, err := Up(ctx, p.Personality, recorder)
	if err != nil {
		return err
	}
	st := &stage{Node: node, s: p.Scenario.At(scenario.LevelSim), log: log, target: target(p.Scenario)}
	var faults *cast.Faults
	defer func() {
		st.callers.Wait()
		err = errors.Join(err, node.Down())
		if faults != nil {
			err = errors.Join(err, faults.End())
		}
	}()
	time.Sleep(dawn)
	faults, err = cast.Inject(st.s.Faults, func(f scenario.Fault) (func(), error) {
		fault := cast.Fault(f, st.target)
		if f.Call == "PullImage" {
			// A real test node has no registry, so there a pull that was held up fails in the end.
			fault.Fail = errNoRegistry
		}
		return node.Runtime.Inject(fault)
	})
	if err != nil {
		return err
	}
	if arming := cast.Arming(st.s); arming != nil {
		if err := st.create(ctx); err != nil {
			return fmt.Errorf("create the pod: %w", err)
		}
		waiting, cancel := context.WithTimeoutCause(ctx, armTimeout, fmt.Errorf("not within %v", armTimeout))
		defer cancel()
		if _, err := log.Wait(waiting, "the pod to be where the scenario begins", arming); err != nil {
			return fmt.Errorf("the pod never got there: %w", err)
		}
	}
	if !st.s.Pulls() {
		time.Sleep(rest)
	}
	log.Add(history.Event{Kind: history.Armed})
	first := time.Now()
	defer faults.Begin()()
	for _, step := range st.s.Steps {
		time.Sleep(time.Until(first.Add(step.After)))
		st.do(ctx, step.Do)
	}
	watching, cancel := context.WithDeadlineCause(ctx, first.Add(st.s.WatchFor(scenario.LevelSim)), errOver)
	defer cancel()
	switch err := log.WaitAll(watching, "the pod's end", func(events []history.Event) bool { return cast.Over(st.s, events) }); {
	case err == nil:
		time.Sleep(settle)
	case !errors.Is(err, errOver):
		return err
	}
	if kubelet := st.Kubelet; kubelet != nil {
		if left := kubelet.Killing(); left > 0 {
			log.Add(history.Event{Kind: history.KubeletLeft, Pod: st.target, Count: int32(left)})
		}
	}
	log.Add(history.Event{Kind: history.Finished})
	return nil
}

// errOver ends an observation that saw no end; the judges say what that means.
var errOver = errors.New("the observation is over")

var errNoRegistry = errors.New("failed to pull and unpack image: failed to resolve reference: dial tcp: connection refused")

// target is the pod's name in the API and at the runtime.
func target(s scenario.Scenario) string {
	if s.Pod.Static {
		return s.ID + "-" + nodeName
	}
	return s.ID
}

// pods are the names of all pods of a scenario beside its own.
func pods(s scenario.Scenario) []string {
	var names []string
	if t := target(s); t != s.ID {
		names = append(names, t)
	}
	for _, step := range s.Steps {
		if burst, ok := step.Do.(scenario.Burst); ok {
			for n := range burst.Pods {
				names = append(names, burst.Name(s.ID, n))
			}
		}
	}
	return names
}

func (st *stage) create(ctx context.Context) error {
	if st.s.Pod.Static {
		return st.writeManifest(ctx, false)
	}
	_, err := st.API.Create(cast.Pod(st.s, nodeName, ""))
	return err
}

func (st *stage) writeManifest(ctx context.Context, changed bool) error {
	data, err := cast.Manifest(st.s, "", changed)
	if err != nil {
		return err
	}
	return st.SetManifest(ctx, st.s.ID, data)
}
