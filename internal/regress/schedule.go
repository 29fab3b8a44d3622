// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/scenario"
)

// runAll runs every scenario of the arm: first, the longest first, as many at once as the run's pace allows; then those
// that disturb the whole node, one by one; finally, once more, those without a decision.
func (b *bench) runAll(ctx context.Context) error {
	all := slices.Clone(b.run.options.Scenarios)
	slices.SortStableFunc(all, func(x, y scenario.Scenario) int {
		level := b.run.options.Level
		return cmp.Compare(y.At(level).WatchFor(level), x.At(level).WatchFor(level))
	})
	var together, alone []*play
	for _, s := range all {
		p, err := b.newPlay(s, "")
		if err != nil {
			return err
		}
		defer p.Log.Close()
		if s.Alone {
			alone = append(alone, p)
		} else {
			together = append(together, p)
		}
	}
	b.mu.Lock()
	b.plays = slices.Concat(together, alone)
	b.mu.Unlock()
	b.playTogether(ctx, together)
	for _, p := range alone {
		b.playAlone(ctx, p)
	}
	errs := []error{b.playAgain(ctx)}
	for _, p := range b.plays {
		errs = append(errs, p.err)
	}
	return errors.Join(errs...)
}

// playTogether runs scenarios that do not disturb each other. The first pod determines how many may run at once.
func (b *bench) playTogether(ctx context.Context, plays []*play) {
	if len(plays) == 0 {
		return
	}
	begin := time.Now()
	plays[0].prepare(ctx)
	b.run.pace.settle(time.Since(begin))
	plays[0].at("the other arm's node to start")
	b.run.pace.calm(ctx)
	places := make(chan struct{}, b.run.pace.each)
	var wait sync.WaitGroup
	for i, p := range plays {
		places <- struct{}{}
		wait.Go(func() {
			defer func() { <-places }()
			if i > 0 {
				b.prepareInTurn(ctx, p)
			}
			b.performInTurn(ctx, p)
		})
	}
	wait.Wait()
}

func (b *bench) prepareInTurn(ctx context.Context, p *play) {
	p.at("others' pods to start")
	done, err := b.run.pace.start(ctx)
	if err != nil {
		p.abandon(err)
		return
	}
	defer done()
	p.prepare(ctx)
}

func (b *bench) performInTurn(ctx context.Context, p *play) {
	start := time.Now()
	if !p.Scenario.Pulls() { // the pull would be over
		start = b.run.pace.turn(start.Add(rest))
	}
	p.perform(ctx, start)
	b.took(p)
}

func (b *bench) playAlone(ctx context.Context, p *play) {
	begin := time.Now()
	p.prepare(ctx)
	b.run.pace.settle(time.Since(begin))
	b.performInTurn(ctx, p)
}

// took puts the result of a play, unless it will be run again.
func (b *bench) took(p *play) {
	if !p.again() {
		b.run.put(b.arm, p.result)
		return
	}
	b.run.logf("%s %s is invalid and will run once more, alone: %s", b.arm, p.row.ID, p.result.Invalid())
}
