// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"context"
	"fmt"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/player"
)

// hurriedAt is when the kubelet is looked at while shorter stops are out, after the first delete.
const hurriedAt = 10 * time.Second

// terminatingAt is when it is looked at while all pods terminate and nobody has hurried them.
const terminatingAt = into - 500*time.Millisecond

// kubelet plays a part on the node's kubelet and takes its figures.
func (n *node) kubelet(ctx context.Context, o Options, part Part, column Column, pods int) (h history.History, samples []Sample, err error) {
	w, err := n.start(ctx, o, part, column, pods)
	if err != nil {
		return h, nil, err
	}
	add := func(state State, l look, before *look) {
		s := l.sample(before)
		s.Pods, s.Column, s.Part, s.State = pods, column, part.ID, state
		samples = append(samples, s)
	}
	if err := player.Until(ctx, time.Now().Add(calm)); err != nil {
		return h, nil, err
	}
	before, err := takeLook(ctx, n.client, n.NodeName())
	if err != nil {
		return h, nil, err
	}
	if err := player.Until(ctx, before.at.Add(resting)); err != nil {
		return h, nil, err
	}
	ran, err := takeLook(ctx, n.client, n.NodeName())
	if err != nil {
		return h, nil, err
	}
	add(Running, ran, &before)

	begin := time.Now()
	looked := make(chan error, 1)
	go func() {
		looked <- n.during(ctx, part, begin, add)
	}()
	w.each(ctx, w.deletes)
	if err := <-looked; err != nil {
		return h, nil, err
	}
	if err := w.ended(ctx); err != nil {
		return h, nil, err
	}
	over, err := takeLook(ctx, n.client, n.NodeName())
	if err != nil {
		return h, nil, err
	}
	add(Ended, over, &ran)
	if err := w.readLoop(begin); err != nil {
		return h, nil, err
	}
	return w.close(), samples, n.recording()
}

// during looks at the kubelet while a part is under way.
func (n *node) during(ctx context.Context, part Part, begin time.Time, add func(State, look, *look)) error {
	if len(part.Requests) < 2 {
		return nil
	}
	if err := player.Until(ctx, begin.Add(terminatingAt)); err != nil {
		return err
	}
	terminating, err := takeLook(ctx, n.client, n.NodeName())
	if err != nil {
		return err
	}
	add(Terminating, terminating, nil)
	if part.deciding().Grace == 0 {
		return nil
	}
	if err := player.Until(ctx, begin.Add(hurriedAt)); err != nil {
		return err
	}
	hurried, err := takeLook(ctx, n.client, n.NodeName())
	if err != nil {
		return err
	}
	add(Hurried, hurried, nil)
	return nil
}

// gone is how long a kubelet has to lose what it had for ended pods. Its garbage collection runs once a minute.
const gone = 70 * time.Second

// settled is how many goroutines more than before the first pod end the wait for that: what a stock kubelet was seen to keep.
const settled = 5

// lookEach is the pause between two looks at it.
const lookEach = 2 * time.Second

// left waits until the kubelet has no more goroutines than allowed, and returns its figures then or in the end.
func (n *node) left(ctx context.Context, column Column, pods, allowed int) (Sample, error) {
	for begin := time.Now(); ; {
		l, err := takeLook(ctx, n.client, n.NodeName())
		if err != nil {
			return Sample{}, err
		}
		if int(l.goroutines) <= allowed || time.Since(begin) > gone {
			s := l.sample(nil)
			s.Pods, s.Column, s.State, s.Seconds = pods, column, Left, round(time.Since(begin).Seconds())
			return s, nil
		}
		if err := player.Until(ctx, l.at.Add(lookEach)); err != nil {
			return Sample{}, fmt.Errorf("wait for the kubelet to let go of its pods: %w", err)
		}
	}
}
