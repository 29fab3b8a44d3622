// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	// settle is the time from seeing a pod run to its first delete: on every kubelet, a worker that has just synced a pod waits up
	// to two seconds for a newer status of it.
	settle = 4 * time.Second
	// lateness is how long to wait for a probe after its grace period and the two seconds of a hook.
	lateness = 12 * time.Second
	// window is the time that Kubernetes adds to the grace period of a container whose hook used it up.
	window = 2 * time.Second
	// callTimeout is the timeout of requests without another bound.
	callTimeout = 30 * time.Second
)

// probeTime is how long a probe may take from its first delete on.
func probeTime(grace int64) time.Duration {
	return time.Duration(grace)*time.Second + window + lateness
}

// measure holds the measurements of a probe. Durations count from the answer to its first delete, on this machine's clock;
// lived is on the node's.
type measure struct {
	probe string
	// trouble is the reason why there is nothing to judge.
	trouble string
	// second is when the second delete was answered; 0 if there is none.
	second time.Duration
	// gone: the object existed until goneFrom and no longer at goneBy.
	gone             bool
	goneFrom, goneBy time.Duration
	// logged: there was a log to read.
	logged bool
	// marked is the word that the process printed when its termination began; lived is from then to its last word.
	marked string
	lived  time.Duration
	// heard is when its last word came, after the last delete was answered.
	heard time.Duration
	// ended: the log ended because the container did, and the witness was heard after the last word.
	ended bool
	// silent is the reason why it is not known to have ended.
	silent string
}

// plan is one probe: its first delete and, if second is not nil, a second one, between later.
type plan struct {
	name   string
	hook   bool
	delay  time.Duration // before the first delete
	first  int64
	second *int64
}

// plans returns the probes of a node. zero and the control are deleted together with the second delete of the others, so that
// they show whether the kubelet saw deletes at that time.
func (c *Config) plans() []plan {
	short, zero := int64(Short), int64(0)
	all := []plan{
		{name: Shortened, first: c.Grace, second: &short},
		{name: Forced, first: c.Grace, second: &zero},
		{name: Zero, first: 0, delay: between},
	}
	if c.Hooks {
		for _, p := range all {
			p.name, p.hook = hookPrefix+p.name, true
			all = append(all, p)
		}
	}
	return all
}

// member is a pod of a node, with its log if that can be read.
type member struct {
	pod  *corev1.Pod
	life *life
}

// carryOut runs and measures one probe.
func (r *run) carryOut(ctx context.Context, p plan, m member, witness *life) (found measure) {
	found.probe = p.name
	refuse := func(err error) measure {
		found.trouble = "delete: " + err.Error()
		if ctx.Err() != nil {
			found.trouble = context.Cause(ctx).Error()
		}
		return found
	}
	if !pause(ctx, p.delay) {
		return refuse(ctx.Err())
	}
	if m.life != nil {
		// A log that ended before the delete would look like a process that ended after it.
		if err := m.life.fresh(ctx); err != nil {
			found.trouble = err.Error()
			return found
		}
	}
	if err := r.remove(ctx, m.pod, p.first); err != nil {
		return refuse(err)
	}
	start := time.Now()
	last := start
	if p.second != nil {
		pause(ctx, between)
		if err := r.remove(ctx, m.pod, *p.second); err != nil {
			return refuse(err)
		}
		last = time.Now()
		found.second = last.Sub(start)
	}
	ctx, cancel := context.WithDeadline(ctx, start.Add(probeTime(r.Grace)))
	defer cancel()
	if a, ok := r.tracker.absent(ctx, m.pod.Name); ok {
		found.gone, found.goneFrom, found.goneBy = true, a.from.Sub(start), a.by.Sub(start)
	}
	if m.life != nil {
		found.read(ctx, m.life, witness, last)
	}
	return found
}

// read waits for the end of the log and records its measurements.
func (m *measure) read(ctx context.Context, l, witness *life, asked time.Time) {
	select {
	case <-l.done:
	case <-ctx.Done():
	}
	l.mu.Lock()
	ended, err, last := isClosed(l.done), l.err, l.last
	m.logged, m.marked, m.heard = true, l.marked, l.seen.Sub(asked)
	if m.marked != "" {
		m.lived = l.last.Sub(l.mark)
	}
	l.mu.Unlock()
	switch {
	case !ended:
		m.silent = "its log had not ended when the time was over"
	case err != nil:
		m.silent = fmt.Sprintf("its log broke off: %v", err)
	case witness == nil || !witness.after(ctx, last.Add(time.Second)):
		m.silent = "the witness on the same node was not heard after it"
	default:
		m.ended = true
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
