// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/player"
	"github.com/kgrace/kgrace/internal/scenario"
)

// judge waits until the node is as it was before the first pod, and makes the results.
func (r *run) judge(ctx context.Context) Results {
	results := r.lanes.results
	results.Ledger = r.lanes.ledger.All()
	for _, kind := range Kinds() {
		k := KindTally{Kind: kind}
		for _, d := range results.Ledger {
			if d.Kind != kind {
				continue
			}
			k.Times++
			k.Pods += d.Pods
			k.Seconds += d.To.Sub(d.From).Seconds()
			if d.Err != "" {
				k.Failed++
			}
		}
		results.Kinds = append(results.Kinds, k)
	}
	results.Samples = r.samples
	results.Checks = []Check{ended(results, r.lanes.endless), begun(results)}
	left, took, err := r.clear(ctx)
	results.Checks = append(results.Checks, check("nothing left on the node", err, len(left) == 0,
		fmt.Sprintf("no pod, worker, sandbox, container, process, cgroup, mount or directory of a pod after %.0f s", took.Seconds()), strings.Join(left, "; ")))
	results.Checks = append(results.Checks, r.goroutines(ctx, &results)...)
	results.Checks = append(results.Checks, r.memory(ctx, &results)...)
	results.Seconds = time.Since(r.begin).Seconds()
	return results
}

// check returns a check that holds if good, with the reason for either.
func check(name string, err error, good bool, held, broken string) Check {
	switch {
	case err != nil:
		return Check{name, scenario.Invalid, err.Error()}
	case good:
		return Check{name, scenario.Held, held}
	}
	return Check{name, scenario.Broken, broken}
}

func ended(r Results, endless []string) Check {
	return check("every pod ended", nil, len(endless) == 0, fmt.Sprintf("%d pods", r.Pods+r.NotBegun), strings.Join(endless, "; "))
}

// begun is invalid if many pods never ran: a disturbance may keep one from it, but then nothing is judged.
func begun(r Results) Check {
	c := Check{"pods ran", scenario.Held, fmt.Sprintf("%d of %d", r.Pods, r.Pods+r.NotBegun)}
	if r.NotBegun*20 > r.Pods {
		c.Outcome = scenario.Invalid
		c.Why += ", expected 95 %: " + strings.Join(r.Why[:min(len(r.Why), 3)], "; ")
	}
	return c
}

// clear waits until nothing of a pod is left and returns what is. The kubelet collects what ended from time to time; there is no
// event to wait for.
func (r *run) clear(ctx context.Context) (left []string, took time.Duration, err error) {
	begin := time.Now()
	for {
		var state State
		if state, err = r.site.Inspect(ctx); err == nil {
			if left = state.Since(r.before); len(left) == 0 {
				return nil, time.Since(begin), nil
			}
		}
		if ctx.Err() != nil {
			return left, time.Since(begin), context.Cause(ctx)
		}
		if time.Since(begin) > cleared {
			return left, time.Since(begin), err
		}
		r.logf("still there: %s", strings.Join(left, "; "))
		_ = player.Until(ctx, time.Now().Add(tells))
	}
}

// more is how many goroutines a kubelet may have more at the end than in its first minute: connections that were opened again, and
// what a kubelet starts when it needs it first.
const more = 12

func (r *run) goroutines(ctx context.Context, results *Results) []Check {
	begin := time.Now()
	last, err := r.site.Goroutines(ctx)
	// Up to a minute after a pod the kubelet still has the goroutine that calculates its volumes' statistics.
	for err == nil && ctx.Err() == nil && last.Total() > r.first.Total()+more && time.Since(begin) < cleared {
		r.logf("still there: %d goroutines more than in the first minute", last.Total()-r.first.Total())
		_ = player.Until(ctx, time.Now().Add(tells))
		last, err = r.site.Goroutines(ctx)
	}
	ending := last.Of(localnode.Terminations, nil)
	results.MoreGoroutines = last.Since(r.first)
	return []Check{
		check("no goroutine of a pod's end", err, ending.Total() <= r.first.Of(localnode.Terminations, nil).Total(), fmt.Sprintf("none of %d", last.Total()), strings.Join(ending.Lines(), "; ")),
		check("goroutines as in the first minute", err, last.Total() <= r.first.Total()+more,
			fmt.Sprintf("%d, first %d", last.Total(), r.first.Total()),
			fmt.Sprintf("%d, first %d, at most %d more: %s", last.Total(), r.first.Total(), more, strings.Join(results.MoreGoroutines, "; "))),
	}
}

// kept is how many bytes of live objects from the end of pods a heap profile may show: it samples one object in 512 KiB, and scales
// it up.
const kept = 1 << 20

func (r *run) memory(ctx context.Context, results *Results) []Check {
	life := LastLife(r.samples)
	var err error
	if results.Memory, err = SlopeOf(life, func(s Sample) int64 { return s.Heap }); err == nil {
		results.Resident, err = SlopeOf(life, func(s Sample) int64 { return s.Resident })
	}
	m := results.Memory
	slope := fmt.Sprintf("%.1f ± %.1f KiB a pod over %d pods, %.1f ± %.1f MiB an hour; resident %.1f ± %.1f MiB an hour; %d samples in %.0f s", m.PerPod/1024, m.PodError/1024, m.Pods,
		m.PerHour/(1<<20), m.Error/(1<<20), results.Resident.PerHour/(1<<20), results.Resident.Error/(1<<20), m.Samples, m.Seconds)
	_, heap, failed := r.site.Heap(ctx)
	of := heap.Of(localnode.Terminations, localnode.Recording)
	return []Check{
		check("memory without a slope", err, !m.Grows(), slope, slope+fmt.Sprintf("; at most %d KiB a pod", leak>>10)),
		check("no memory of pods' ends", failed, of.Total() <= kept, fmt.Sprintf("%d KiB sampled, once the pods were gone", of.Total()>>10),
			strings.Join(of.Lines(), "; ")),
	}
}
