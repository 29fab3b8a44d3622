// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"golang.org/x/sync/errgroup"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/player"
	"github.com/kgrace/kgrace/internal/podspec"
	"github.com/kgrace/kgrace/internal/scenario"
)

const (
	// calm is how long the pods run before anything is measured: a pod deleted right after its start is stopped only when the pod
	// cache is newer.
	calm = 3 * time.Second
	// resting is how long the kubelet is measured with all pods running.
	resting = 10 * time.Second
	// starting bounds the start of a wave's pods, and perPod what each adds to it and to the other bounds.
	starting = 2 * time.Minute
	perPod   = 2 * time.Second
	// ending bounds the wait for a wave's end after its deadline.
	ending = 2 * time.Minute
)

// Bounds decide no verdict but that of a pod that does not end.

// wave is a wave under way.
type wave struct {
	*node
	part   Part
	column Column
	names  []string
	log    *history.Log
}

// start creates the pods of a wave and returns when all of them run.
func (n *node) start(ctx context.Context, o Options, part Part, column Column, pods int) (*wave, error) {
	w := &wave{node: n, part: part, column: column}
	for i := range pods {
		name := fmt.Sprintf("%s-%03d", part.ID, i+1)
		if column == Alone {
			name = "alone-" + name
		}
		w.names = append(w.names, name)
	}
	header := history.Header{Scenario: part.ID, Arm: string(column), Level: string(scenario.LevelNode), Minor: o.Minor, Pod: w.names[0], Versions: n.versions}
	var err error
	if w.log, err = n.recorder.Open(header, w.names[1:]...); err != nil {
		return nil, err
	}
	n.mu.Lock()
	n.log = w.log
	n.mu.Unlock()
	bound := starting + time.Duration(pods)*perPod
	ctx, cancel := context.WithTimeoutCause(ctx, bound, fmt.Errorf("not within %v", bound))
	defer cancel()
	group, groupCtx := errgroup.WithContext(ctx)
	for _, name := range w.names {
		group.Go(func() error { return n.create(groupCtx, name, n.NodeName(), part.Requests[0].Grace) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return w, w.all(ctx, "all pods to run", func(e history.Event) bool { return e.Kind == history.Line && e.Reason == "START" })
}

// create creates a stubborn pod that is bound to a node.
func (n *node) create(ctx context.Context, name, on string, grace int64) error {
	pod := podspec.Pod(scenario.Scenario{ID: name, Pod: scenario.Pod{
		Grace: grace, Containers: []scenario.Container{{Name: "main", Stubborn: true}},
	}}, on, n.LinesDir())
	_, err := n.client.CoreV1().Pods(podspec.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	return err
}

// all waits until every pod has an event that matches.
func (w *wave) all(ctx context.Context, what string, match func(history.Event) bool) error {
	seen := map[string]bool{}
	_, err := w.log.Wait(ctx, what, func(e history.Event) bool {
		if match(e) {
			seen[e.Pod] = true
		}
		return len(seen) == len(w.names)
	})
	if err != nil {
		return fmt.Errorf("%d of %d pods: %w", len(seen), len(w.names), err)
	}
	return nil
}

// ended waits until every container is dead and every sandbox stopped.
func (w *wave) ended(ctx context.Context) error {
	bound := w.part.deadline() + time.Duration(w.part.Requests[0].Grace)*time.Second + ending + time.Duration(len(w.names))*perPod
	ctx, cancel := context.WithTimeoutCause(ctx, bound, fmt.Errorf("not within %v", bound))
	defer cancel()
	err := w.all(ctx, "all containers to end", func(e history.Event) bool { return e.Kind == history.ContainerExit })
	if err != nil {
		return err
	}
	return w.all(ctx, "all sandboxes to stop", func(e history.Event) bool {
		return e.Kind == history.CRIReturn && e.Call == "StopPodSandbox" && e.Error == ""
	})
}

// close ends the recording of the wave and returns its history.
func (w *wave) close() history.History {
	w.node.mu.Lock()
	w.node.log = nil
	w.node.mu.Unlock()
	w.log.Close()
	return w.log.History()
}

// each does something for every pod at once: the part's requests, each on its time after the pod's own first one.
func (w *wave) each(ctx context.Context, request func(ctx context.Context, i int, pod string)) {
	var group errgroup.Group
	for _, name := range w.names {
		group.Go(func() error {
			var first time.Time
			for i, r := range w.part.Requests {
				if i == 0 {
					first = time.Now()
				}
				if err := player.Until(ctx, first.Add(r.After)); err != nil {
					return err
				}
				request(ctx, i, name)
			}
			return nil
		})
	}
	_ = group.Wait() // an interrupt shows in what follows
}

// requestTimeout bounds one delete.
const requestTimeout = 2 * time.Minute

// deletes sends the part's requests to the API server and records them.
func (w *wave) deletes(ctx context.Context, i int, pod string) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	grace := w.part.Requests[i].Grace
	w.log.Add(history.Event{Kind: history.APIDelete, Pod: pod, Grace: &grace})
	answer := history.Event{Kind: history.APIDeleted, Pod: pod, Grace: &grace}
	if err := w.client.CoreV1().Pods(podspec.Namespace).Delete(ctx, pod, metav1.DeleteOptions{GracePeriodSeconds: &grace}); err != nil {
		answer.Error = err.Error()
	}
	w.log.Add(answer)
}
