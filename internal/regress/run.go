// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Reports returns the names of a level's reports in the artifacts directory: JUnit, and Ginkgo's own JSON.
func Reports(level scenario.Level) (junit, ginkgo string) {
	return "junit-" + string(level) + ".xml", "ginkgo-" + string(level) + ".json"
}

// Run is a run that has been started.
type Run struct {
	options Options
	begin   time.Time
	slots   map[key]*slot
	pace    *pace
	done    chan struct{}
	err     error

	progress sync.Mutex
	finished map[verdict.Arm]int
}

type key struct {
	arm verdict.Arm
	id  string
}

// slot receives one result.
type slot struct {
	once   sync.Once
	ready  chan struct{}
	result result.Result
}

// Start starts a run and returns. Everything it starts is gone when Wait returns, even if ctx ends early.
func Start(ctx context.Context, options Options) (*Run, error) {
	options.Level = cmp.Or(options.Level, scenario.LevelNode)
	if err := options.check(); err != nil {
		return nil, fmt.Errorf("regress: %w", err)
	}
	r := &Run{options: options, begin: time.Now(), slots: map[key]*slot{}, pace: newPace(options), done: make(chan struct{}),
		finished: map[verdict.Arm]int{}}
	for _, arm := range options.Arms {
		for _, s := range options.Scenarios {
			r.slots[key{arm, s.ID}] = &slot{ready: make(chan struct{})}
		}
	}
	go r.run(ctx)
	return r, nil
}

// Result waits for the result of one scenario on one arm. Every scenario gets one: if it could not run, its verdicts are
// invalid and contain the reason.
func (r *Run) Result(ctx context.Context, arm verdict.Arm, id string) (result.Result, error) {
	s, ok := r.slots[key{arm, id}]
	if !ok {
		return result.Result{}, fmt.Errorf("scenario %s on %s is not part of this run", id, arm)
	}
	select {
	case <-s.ready:
		return s.result, nil
	case <-ctx.Done():
		return result.Result{}, fmt.Errorf("waiting for %s on %s: %w", id, arm, context.Cause(ctx))
	}
}

// Wait waits for the end of the run and returns all results, which are then also in the artifacts directory. It returns an
// error if a node did not start or could not be taken down, or if a file could not be written.
func (r *Run) Wait() (result.Results, error) {
	<-r.done
	return r.results(), r.err
}

func (r *Run) run(ctx context.Context) {
	defer close(r.done)
	errs := make([]error, len(r.options.Arms))
	one := func(i int, arm verdict.Arm) {
		err := r.runArm(ctx, arm)
		errs[i] = err
		why := "the scenario was not started"
		if err != nil {
			// The error includes the end of a program's log; its first line is enough for forty histories.
			r.logf("%v", err)
			why, _, _ = strings.Cut(err.Error(), "\n")
		}
		// Slots that are still empty will not get a result.
		for _, s := range r.options.Scenarios {
			r.put(arm, result.NotPlayed(r.options.Level, arm, s, why))
		}
	}
	// The first arm measures how fast this machine is. The other one starts beside it or after it.
	first := make(chan struct{})
	go func() {
		defer close(first)
		one(0, r.options.Arms[0])
	}()
	select {
	case <-r.pace.settled:
		r.logf("%s", r.pace.why)
	case <-first:
	}
	var wait sync.WaitGroup
	for i, arm := range r.options.Arms[1:] {
		if !r.pace.both {
			<-first
			one(i+1, arm)
			continue
		}
		wait.Go(func() { one(i+1, arm) })
	}
	<-first
	wait.Wait()
	r.err = errors.Join(append(errs, r.results().Write(filepath.Join(r.options.Artifacts, result.ResultsFile(r.options.Level))))...)
}

// put sets the result of a slot, once, and logs it.
func (r *Run) put(arm verdict.Arm, result result.Result) {
	s := r.slots[key{arm, result.Scenario}]
	s.once.Do(func() {
		s.result = result
		close(s.ready)
		r.progress.Lock()
		r.finished[arm]++
		n := r.finished[arm]
		r.progress.Unlock()
		r.logf("%s %2d/%d %s", arm, n, len(r.options.Scenarios), summary(result))
	})
}

// good reports whether an arm has every result and each is the expected one.
func (r *Run) good(arm verdict.Arm) bool {
	for _, s := range r.options.Scenarios {
		slot := r.slots[key{arm, s.ID}]
		select {
		case <-slot.ready:
			if !slot.result.Good() {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (r *Run) results() result.Results {
	all := result.Results{Minor: r.options.Minor, Level: r.options.Level, Arms: r.options.Arms,
		Seconds: time.Since(r.begin).Seconds()}
	for _, s := range r.options.Scenarios {
		all.Scenarios = append(all.Scenarios, s.ID)
		for _, arm := range r.options.Arms {
			slot := r.slots[key{arm, s.ID}]
			select {
			case <-slot.ready:
				all.Results = append(all.Results, slot.result)
			default:
			}
		}
	}
	return all
}

// logf logs one progress line, with the seconds since the run began.
func (r *Run) logf(format string, args ...any) {
	if r.options.Progress == nil {
		return
	}
	r.progress.Lock()
	defer r.progress.Unlock()
	fmt.Fprintf(r.options.Progress, "regress %6.1fs %s\n", time.Since(r.begin).Seconds(), fmt.Sprintf(format, args...))
}

// summary returns a result as one line.
func summary(result result.Result) string {
	text := result.Scenario
	if result.Second != "" {
		text += " (second run)"
	}
	if result.Dead != nil {
		text += fmt.Sprintf(" dead at %.2f s:", *result.Dead)
	} else {
		text += ":"
	}
	for _, rule := range result.Rules {
		text += fmt.Sprintf(" %s %s", rule.Rule, rule.Verdict)
	}
	return text
}
