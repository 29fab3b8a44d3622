// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/util/rand"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// run is one run.
type run struct {
	Config
	id      string // random
	space   string // the namespace of its pods
	own     bool   // which this run made
	pods    typedcorev1.PodInterface
	tracker *tracker
	rights  granted
}

// Run checks the nodes and always removes what it created. Even with an error the report holds what is known.
func Run(ctx context.Context, c Config) (report Report, err error) {
	if err := c.Validate(); err != nil {
		return Report{}, err
	}
	r := &run{Config: c, id: rand.String(8), space: c.Namespace}
	if report.Missing, err = r.ask(ctx); err != nil {
		return report, err
	}
	for _, m := range report.Missing {
		r.logf("no right to %s", m)
	}
	targets, leftOut, err := r.targets(ctx)
	if err != nil {
		return report, err
	}
	report.LeftOut = leftOut
	for _, l := range leftOut {
		r.logf("left out: %s", l)
	}
	// Objects of an interrupted create must be removed, too.
	defer func() { err = errors.Join(err, r.close(ctx)) }()
	if err := r.open(ctx, len(targets)); err != nil {
		return report, err
	}
	r.logf("nodes: %d; pods in namespace %s; about %d s a node", len(targets), r.space, r.Grace+20)

	following, stop := context.WithCancel(ctx)
	var follower sync.WaitGroup
	follower.Go(func() { r.tracker.follow(following) })
	defer follower.Wait()
	defer stop()

	report.Nodes = r.nodes(ctx, targets)
	if ctx.Err() != nil {
		return report, fmt.Errorf("stopped: %w", context.Cause(ctx))
	}
	return report, nil
}

// nodes checks the nodes concurrently.
func (r *run) nodes(ctx context.Context, targets []target) []NodeReport {
	reports := make([]NodeReport, len(targets))
	var all errgroup.Group
	all.SetLimit(r.Parallel)
	var mu sync.Mutex
	done, affected := 0, 0
	for i, t := range targets {
		all.Go(func() error {
			if ctx.Err() == nil {
				r.logf("node %s: starts", t.name)
			}
			reports[i] = r.node(ctx, i, t)
			mu.Lock()
			defer mu.Unlock()
			done++
			if reports[i].Verdict == Affected {
				affected++
			}
			r.logf("node %s: %s (%d of %d done, %d affected)", t.name, reports[i].Verdict, done, len(targets), affected)
			return nil
		})
	}
	_ = all.Wait() // none returns an error
	return reports
}
