// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kgrace/kgrace/internal/history"
)

// FirstRuns is the directory, below the artifacts directory, of the histories of first runs that were followed by a second one.
const FirstRuns = "first-runs"

// again reports whether a scenario without a decision shall run a second time. A red one never does, and nothing runs a
// third time. Nothing runs again after an interrupted run, as by the loss of the node, or if the recording has a gap.
func (p *play) again() bool {
	return p.second == "" && !p.interrupted && !p.result.Red() && !p.result.Good()
}

// left bounds the wait for the containers of a first run to end: they may hold a port that the second one needs.
const left = time.Minute

// playAgain runs the scenarios without a decision once more, one by one.
func (b *bench) playAgain(ctx context.Context) error {
	for _, first := range slices.Clone(b.plays) {
		if !first.again() {
			continue
		}
		if ctx.Err() != nil {
			b.run.put(b.arm, first.result)
			continue
		}
		if err := first.gone(ctx); err != nil {
			b.run.logf("%s %s: leftovers of the first run may disturb the second: %v", b.arm, first.row.ID, err)
		}
		first.Log.Close()
		if err := first.setAside(); err != nil {
			return err
		}
		p, err := b.newPlay(first.row, first.result.Invalid())
		if err != nil {
			return err
		}
		b.mu.Lock()
		b.plays = append(b.plays, p)
		b.mu.Unlock()
		b.playAlone(ctx, p)
		p.Log.Close()
	}
	return nil
}

// setAside moves the history of a first run so that the second run's does not overwrite it.
func (p *play) setAside() error {
	file := filepath.Join(p.run.options.Artifacts, FirstRuns, string(p.run.options.Level), string(p.bench.arm), p.row.ID+".jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.Rename(filepath.Join(p.run.options.Artifacts, p.result.History), file)
}

// gone deletes the pod of a first run and waits until every container that was started has ended.
func (p *play) gone(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, left, fmt.Errorf("not within %v", left))
	defer cancel()
	if err := p.remove(ctx); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return p.Log.WaitAll(ctx, "its containers to end", func(events []history.Event) bool {
		alive := map[string]bool{}
		for _, e := range events {
			switch {
			case e.Kind == history.CRICall && e.Call == "StartContainer":
				alive[e.ContainerID] = true
			case e.Kind == history.ContainerExit:
				delete(alive, e.ContainerID)
			}
		}
		return len(alive) == 0
	})
}
