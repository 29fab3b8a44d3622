// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	witnessName = "witness"
	controlName = "control"
	// firstLines is the number of lines that a process must print before its pod is deleted.
	firstLines = 3
	logTimeout = 15 * time.Second
	// clockSkew is the allowed difference between the clocks of two machines that check one cluster.
	clockSkew = 30 * time.Second
)

// node checks one node.
func (r *run) node(ctx context.Context, index int, t target) (rep NodeReport) {
	started := time.Now()
	rep = NodeReport{Node: t.name, Kubelet: t.kubelet, Runtime: t.runtime, OverheadSeconds: -1}
	plans := r.plans()
	defer func() {
		rep.conclude()
		rep.TookSeconds = time.Since(started).Seconds()
	}()
	refuse := func(why string) NodeReport {
		rep.Why = why
		for _, p := range plans {
			rep.Results = append(rep.Results, Result{Probe: p.name, Verdict: Unknown, Seconds: -1, Why: why})
		}
		return rep
	}
	if t.trouble != "" {
		return refuse(t.trouble)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.nodeTime(), errors.New("the time for this node is over"))
	defer cancel()

	members := map[string]*member{}
	defer func() { r.clear(ctx, members) }()
	noLog, err := r.start(ctx, index, t, plans, members)
	if err != nil {
		return refuse(err.Error())
	}
	if !pause(ctx, settle) {
		return refuse(context.Cause(ctx).Error())
	}
	e := evidence{grace: time.Duration(r.Grace) * time.Second, noLog: noLog}
	found := r.play(ctx, t, plans, members, &e)
	e.node = r.afterwards(ctx, t)
	if over, why := e.overhead(); why == "" {
		rep.OverheadSeconds = over.Seconds()
	}
	if e.orphans != nil {
		s := e.orphans.longest.Seconds()
		rep.OrphanSeconds = &s
	}
	for i, p := range plans {
		rep.Results = append(rep.Results, e.judge(found[i], p.hook))
	}
	return rep
}

// play runs the probes of a node and its control concurrently.
func (r *run) play(ctx context.Context, t target, plans []plan, members map[string]*member, e *evidence) []measure {
	var all sync.WaitGroup
	witness := members[witnessName].life
	found := make([]measure, len(plans))
	for i, p := range plans {
		all.Go(func() { found[i] = r.carryOut(ctx, p, *members[p.name], witness) })
	}
	all.Go(func() {
		e.control = r.carryOut(ctx, plan{name: controlName, delay: between, first: Short}, member{pod: members[controlName].pod}, nil)
	})
	if r.rights.proxy {
		counting, stop := context.WithCancel(ctx)
		if e.noLog != "" {
			// Only the count shows the end of a forced pod, so it needs its full time.
			all.Go(func() { pause(ctx, probeTime(r.Grace)) })
		}
		var counted sync.WaitGroup
		counted.Go(func() { e.orphans = countOrphans(counting, r.Client.Core, t.name) })
		defer counted.Wait()
		defer stop()
	}
	all.Wait()
	for _, m := range found {
		if m.probe == Zero {
			e.zero = m
		}
	}
	return found
}

// start starts a node's pods and opens their logs. noLog is the reason why there are none.
func (r *run) start(ctx context.Context, index int, t target, plans []plan, members map[string]*member) (noLog string, err error) {
	var names []string
	until := time.Now().Add(r.nodeTime() + clockSkew)
	for _, m := range append([]plan{{name: witnessName}, {name: controlName}}, plans...) {
		p, err := r.create(ctx, r.pod(podSpec{name: fmt.Sprintf("kgrace-%s-%d-%s", r.id, index, m.name), run: r.id, node: t.name, hook: m.hook, until: until}))
		if err != nil {
			return "", fmt.Errorf("create the %s pod: %w", m.name, err)
		}
		names, members[m.name] = append(names, m.name), &member{pod: p}
	}
	starting, cancel := context.WithTimeout(ctx, r.StartTimeout)
	defer cancel()
	for _, name := range names {
		var last *corev1.Pod
		err := r.tracker.wait(starting, members[name].pod.Name, func(p *corev1.Pod) (bool, error) {
			last = p
			return running(p)
		})
		switch {
		case ctx.Err() != nil:
			return "", context.Cause(ctx)
		case errors.Is(err, context.DeadlineExceeded):
			return "", fmt.Errorf("the %s pod does not run after %s: %s; see its events, or allow more time (--start-timeout)", name, r.StartTimeout, state(last))
		case err != nil:
			return "", fmt.Errorf("the %s pod: %w", name, err)
		}
	}
	if !r.rights.logs {
		return "the right to get pods/log is missing", nil
	}
	return r.listen(ctx, names, members)
}

// listen opens the logs. If the server cannot reach the kubelet's logs, the run goes on; a silent process is an error.
func (r *run) listen(ctx context.Context, names []string, members map[string]*member) (noLog string, err error) {
	opening, cancel := context.WithTimeout(ctx, logTimeout)
	defer cancel()
	for _, name := range names {
		if name == controlName {
			continue // its object suffices
		}
		m := members[name]
		for {
			m.life, err = listen(ctx, r.pods, m.pod.Name)
			if err == nil {
				// A kubelet without a free file to follow a log may have one a moment later.
				if err = m.life.heard(opening, firstLines); err == nil {
					break
				}
			}
			if ctx.Err() != nil {
				return "", context.Cause(ctx)
			}
			if apierrors.IsForbidden(err) || !pause(opening, retryAfter) {
				break
			}
		}
		if err != nil {
			for _, m := range members {
				m.life = nil
			}
			return fmt.Sprintf("the %s pod: %s", name, oneLine(err.Error())), nil
		}
	}
	return "", nil
}

// clear removes what is left of a node's pods, at once.
func (r *run) clear(ctx context.Context, members map[string]*member) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	for _, m := range members {
		if _, gone := r.tracker.isGone(m.pod.Name); !gone {
			// close meets the same errors again.
			_ = r.remove(ctx, m.pod, 0)
		}
	}
}
