// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/history"
)

// apart is the time between the starts of two sequences: killing many containers at one time makes each kill late.
const apart = 250 * time.Millisecond

// undoing is how long the removal of a sequence's sandbox may take.
const undoing = time.Minute

// Played is a sequence that was played.
type Played struct {
	Trace   Trace
	History history.History
	// Err is the reason why there is no trace.
	Err error
}

// Theatre plays several sequences at once on one runtime.
type Theatre struct {
	// Stage is that of each sequence, but for the Log.
	Stage    Stage
	Recorder *history.Recorder
	// Level is the level in the histories' headers.
	Level string
	// Progress, if set, is called after each sequence.
	Progress func(name string, err error)

	mu     sync.Mutex
	played map[string]Played
}

// Play prepares all sequences, then starts them one after the other. Those that restart the runtime follow the others. The
// sandboxes are removed whatever happens to the context; the error says which could not be.
func (t *Theatre) Play(ctx context.Context, sequences []Sequence) map[string]Played {
	t.played = map[string]Played{}
	var calm, restarting []Sequence
	for _, sequence := range sequences {
		if sequence.Restarts() {
			restarting = append(restarting, sequence)
		} else {
			calm = append(calm, sequence)
		}
	}
	t.together(ctx, calm, apart)
	t.together(ctx, restarting, 0)
	return t.played
}

// together plays sequences at once.
func (t *Theatre) together(ctx context.Context, sequences []Sequence, apart time.Duration) {
	type act struct {
		log  *history.Log
		play func(context.Context) (Trace, error)
		undo func(context.Context) error
		err  error
	}
	acts := make([]act, len(sequences))
	var wait sync.WaitGroup
	for i, sequence := range sequences {
		wait.Go(func() {
			a := &acts[i]
			if a.log, a.err = t.Recorder.Open(history.Header{Scenario: sequence.Name, Level: t.Level, Pod: sequence.Name}); a.err != nil {
				return
			}
			stage := t.Stage
			stage.Log = a.log
			a.play, a.undo, a.err = Prepare(ctx, stage, sequence)
		})
	}
	wait.Wait()
	start := time.Now()
	for i, sequence := range sequences {
		wait.Go(func() {
			a := acts[i]
			var p Played
			if p.Err = a.err; p.Err == nil {
				if p.Err = until(ctx, start.Add(time.Duration(i)*apart)); p.Err == nil {
					p.Trace, p.Err = a.play(ctx)
				}
				undoing, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoing)
				defer cancel()
				if err := a.undo(undoing); err != nil && p.Err == nil {
					p.Err = fmt.Errorf("%s: remove its sandbox: %w", sequence.Name, err)
				}
			}
			if a.log != nil {
				p.History = a.log.History()
				a.log.Close()
			}
			t.mu.Lock()
			t.played[sequence.Name] = p
			t.mu.Unlock()
			if t.Progress != nil {
				t.Progress(sequence.Name, p.Err)
			}
		})
	}
	wait.Wait()
}
