// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/player"
	"github.com/kgrace/kgrace/internal/podspec"
	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/regress"
	"github.com/kgrace/kgrace/internal/scenario"
)

// lanes play one pod after the other, several beside each other.
type lanes struct {
	options  Options
	place    player.Place
	recorder *history.Recorder
	waits    *regress.Waits
	ledger   *Ledger
	header   history.Header
	// starts is a semaphore for pods that may start at once.
	starts chan struct{}
	// recording returns an error if the recording has a gap.
	recording func() error
	logf      func(format string, args ...any)

	mu      sync.Mutex
	results Results
	alive   int
	endless []string
	errs    []error
	// firstStart is how long the first pod took to start.
	firstStart time.Duration
}

// run plays pods in one lane until the given time, or until ctx ends.
func (l *lanes) run(ctx context.Context, lane int, until time.Time) {
	for n := 0; time.Now().Before(until) && ctx.Err() == nil; n++ {
		if err := l.one(ctx, lane, n); err != nil {
			l.mu.Lock()
			l.errs = append(l.errs, err)
			l.mu.Unlock()
			return
		}
	}
}

// one plays one pod and has it judged. An error means that the run is not complete; a pod that does not do what it shall is part of
// the results.
func (l *lanes) one(ctx context.Context, lane, n int) error {
	s := Pod(fmt.Sprintf("soak-%d-%d", lane, n), l.options.Seed, lane, n)
	header := l.header
	header.Scenario, header.Pod = s.ID, s.ID
	log, err := l.recorder.Open(header)
	if err != nil {
		return err
	}
	defer log.Close()
	play := &player.Play{Place: l.place, Level: scenario.LevelNode, Scenario: s, Log: log, Target: s.ID, Settle: settle,
		Lost: func(since time.Time) time.Duration { return l.waits.Lost(since) + l.ledger.lost(since) }}
	l.count(1)
	defer l.count(-1)
	begin := time.Now()
	select {
	case l.starts <- struct{}{}:
	case <-ctx.Done():
		return nil
	}
	started := time.Now()
	err = play.Prepare(ctx)
	<-l.starts
	l.mu.Lock()
	if l.firstStart == 0 {
		l.firstStart = time.Since(started)
	}
	l.mu.Unlock()
	if err == nil {
		err = player.Until(ctx, time.Now().Add(pause))
	}
	if err == nil {
		err = play.Act(ctx)
	}
	if ctx.Err() != nil {
		return nil // interrupted
	}
	if err != nil {
		return l.never(ctx, s, log, begin, err)
	}
	l.quieten(ctx, s, log)
	for _, e := range l.waits.Since(begin) {
		log.Add(e)
	}
	if err := l.recording(); err != nil {
		return fmt.Errorf("the recording has a gap: %w", err)
	}
	h := log.History()
	j := Judge(h, s, l.ledger.Between(begin, time.Now()))
	l.ledger.hit(j.Disturbed)
	if err := l.took(h, s, j); err != nil {
		return err
	}
	if !j.Over {
		return l.remove(ctx, s, log)
	}
	return nil
}

// quieten waits until every call about a pod that is over has returned: the kubelet may just be collecting what is left of it.
func (l *lanes) quieten(ctx context.Context, s scenario.Scenario, log *history.Log) {
	if !podspec.Over(s, beforeEnd(log.History())) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, answers)
	defer cancel()
	// If one never returns, the judge of R13 says so.
	_ = log.WaitAll(ctx, "its last calls", func(events []history.Event) bool { return podspec.Over(s, events) })
}

// beforeEnd returns the events up to the time in which the pod was over.
func beforeEnd(h history.History) []history.Event {
	_, end := asked(h)
	return slices.DeleteFunc(slices.Clone(h.Events), func(e history.Event) bool { return e.At.After(end.Add(-settle)) })
}

func (l *lanes) count(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alive += n
}

// never counts a pod that was never ready for its first request, and removes it.
func (l *lanes) never(ctx context.Context, s scenario.Scenario, log *history.Log, begin time.Time, why error) error {
	hit := l.ledger.Between(begin, time.Now())
	l.mu.Lock()
	l.results.NotBegun++
	l.results.Why = append(l.results.Why, fmt.Sprintf("%s: %v; meanwhile: %s", s.ID, why, kindsOf(hit)))
	l.mu.Unlock()
	if err := l.keep(log.History()); err != nil {
		return err
	}
	return l.remove(ctx, s, log)
}

// remove ends a pod by force and waits until no container of it is left.
func (l *lanes) remove(ctx context.Context, s scenario.Scenario, log *history.Log) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not within %v of a force delete", patience))
	defer cancel()
	_ = l.place.Delete(ctx, s.ID, new(int64)) // it may have gone already
	err := log.WaitAll(ctx, "its containers to end", func(events []history.Event) bool {
		alive, there := map[string]bool{}, false
		for _, e := range events {
			switch {
			case e.Kind == history.CRIReturn && e.Call == "StartContainer" && e.Error == "":
				alive[e.ContainerID] = true
			case e.Kind == history.ContainerExit:
				delete(alive, e.ContainerID)
			case e.Kind == history.APIPod:
				there = e.Reason != "DELETED"
			}
		}
		return len(alive) == 0 && !there
	})
	if err != nil && ctx.Err() != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.endless = append(l.endless, fmt.Sprintf("%s: %v", s.ID, err))
		return nil
	}
	return err
}

// keep writes a history into the artifacts directory.
func (l *lanes) keep(h history.History) error {
	return history.WriteFile(filepath.Join(l.options.Artifacts, HistoriesDir, h.Pod+".jsonl"), h)
}

// took adds a pod to the results.
func (l *lanes) took(h history.History, s scenario.Scenario, j Judged) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &l.results
	r.Pods++
	if len(j.Disturbed) == 0 {
		r.Undisturbed++
	}
	for _, e := range h.Events {
		if e.Kind == history.APIDeleted && e.Error == "" {
			r.Requests++
		}
	}
	r.Shortenings += shortened(h, s)
	if !j.Over {
		l.endless = append(l.endless, s.ID+": not over when its observation ended")
	}
	broken := !j.Over
	add := func(rule scenario.Rule, change func(*Tally)) {
		t := r.Rules[rule]
		change(&t)
		r.Rules[rule] = t
	}
	for rule := range j.Dropped {
		add(rule, func(t *Tally) {
			if j.Moot[rule] {
				t.Invalid++
			} else {
				t.Excused++
			}
		})
	}
	for _, f := range j.Findings {
		switch {
		case f.Outcome == scenario.Held:
			add(f.Rule, func(t *Tally) { t.Held++ })
		case f.Outcome == scenario.Broken:
			broken = true
			l.logf("%s: %s is broken: %s", s.ID, f.Rule, f.Why)
			add(f.Rule, func(t *Tally) { t.Broken++ })
			r.Broken = append(r.Broken, Fault{Pod: s.ID, Rule: f.Rule, Why: f.Why, Scenario: property.Words(s), Disturbed: kindsOf(j.Disturbed),
				History: filepath.Join(HistoriesDir, s.ID+".jsonl")})
		case !j.Moot[f.Rule] && slices.ContainsFunc(j.Disturbed, func(d Disturbance) bool { return len(d.excuses()) > 0 }):
			add(f.Rule, func(t *Tally) { t.Excused++ })
		default:
			add(f.Rule, func(t *Tally) { t.Invalid++ })
		}
	}
	if broken {
		return l.keep(j.History)
	}
	return nil
}

// shortened counts the accepted requests that asked for less than all before.
func shortened(h history.History, s scenario.Scenario) (n int) {
	least := int64(-1)
	for _, e := range h.Events {
		if e.Kind != history.APIDeleted || e.Error != "" {
			continue
		}
		grace := s.Pod.Grace
		if e.Grace != nil {
			if grace = *e.Grace; grace < 0 {
				grace = 1
			}
		}
		if least >= 0 && grace < least {
			n++
		}
		if least < 0 || grace < least {
			least = grace
		}
	}
	return n
}

// namespace is where the pods are.
const namespace = podspec.Namespace
