// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/player"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
)

// play is one scenario on one arm.
type play struct {
	*bench
	*player.Play
	row   scenario.Scenario // as in the catalogue
	armed bool
	// second is the reason why the first run of the scenario had no decision, if this is the second run.
	second string
	// result is set after perform; interrupted means that the run, or its recording, ended first.
	result      result.Result
	interrupted bool
	// err collects errors of files; everything else is in the history.
	err error

	mu    sync.Mutex
	stage string // what it is waiting for
}

// newPlay returns the play of a scenario; second is the reason for a second run, "" for a first run.
func (b *bench) newPlay(row scenario.Scenario, second string) (*play, error) {
	level := b.run.options.Level
	s := row.At(level)
	if second != "" {
		s.ID += "-again" // the first run's pod may still be in the API
	}
	p := &play{bench: b, row: row, second: second}
	target, more := player.Names(s, b.node.NodeName())
	log, err := b.recorder.Open(history.Header{
		Scenario: row.ID, Arm: string(b.arm), Level: string(level), Minor: b.run.options.Minor,
		Pod: s.ID, Second: second, Versions: b.versions,
	}, more...)
	p.Play = &player.Play{Place: &apiPlace{b}, Level: level, Scenario: s, Log: log, Target: target, StepTimeout: disturbance, Settle: settle,
		At: p.at, Lost: b.waits.Lost}
	return p, err
}

// prepare arms the scenario.
func (p *play) prepare(ctx context.Context) {
	err := p.Prepare(ctx)
	if err == nil && p.Scenario.Pod.Owner != "" {
		p.Target, err = p.owned(ctx, p.Scenario)
	}
	if err != nil {
		p.abandon(err)
		return
	}
	p.armed = true
}

// perform carries out the steps, the first at start, observes, and has the history judged.
func (p *play) perform(ctx context.Context, start time.Time) {
	if p.armed {
		if err := p.act(ctx, start); err != nil {
			p.abandon(err)
		} else if err := p.recording(); err != nil {
			p.abandon(fmt.Errorf("the recording is incomplete: %w", err))
		}
	}
	// Before the result is set: the last result ends the run and may end its context.
	p.tidy(ctx)
	for _, e := range p.waits.Since(start) {
		p.Log.Add(e)
	}
	h := p.Log.History()
	p.result = result.Of(h, p.row)
	p.result.History = result.HistoryPath(p.run.options.Level, p.bench.arm, p.row.ID)
	p.interrupted = ctx.Err() != nil || p.recording() != nil
	p.err = errors.Join(p.err, history.WriteFile(filepath.Join(p.run.options.Artifacts, p.result.History), h))
	p.at("")
}

func (p *play) act(ctx context.Context, start time.Time) error {
	p.at("its turn")
	if err := player.Until(ctx, start); err != nil {
		return err
	}
	return p.Act(ctx)
}

func (p *play) abandon(err error) {
	p.Log.Add(history.Event{Kind: history.Abandoned, Message: err.Error()})
}

func trimmed(text []byte) string { return string(bytes.TrimSpace(text)) }
