//go:build kgrace_sim

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simkubelet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kgrace/kgrace/internal/fault"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/player"
	"github.com/kgrace/kgrace/internal/podspec"
	"github.com/kgrace/kgrace/internal/scenario"
)

const (
	// way is the time that a request takes to the API server.
	way = time.Millisecond
	// runtimeDown is how long the runtime is down during a restart.
	runtimeDown = 800 * time.Millisecond
	// patience limits the wait for the kubelet's relist.
	patience = time.Minute
)

// place is the node in memory as a place of package player.
type place struct {
	*Node
	// callers are the goroutines that act as callers inside the kubelet.
	callers sync.WaitGroup
	calls   atomic.Int64
}

var (
	_ player.Place  = (*place)(nil)
	_ player.Killer = (*place)(nil)
)

// Create implements player.Place.
func (n *place) Create(_ context.Context, s scenario.Scenario) error {
	_, err := n.API.Create(podspec.Pod(s, nodeName, ""))
	return err
}

// Delete implements player.Place.
func (n *place) Delete(_ context.Context, pod string, grace *int64) error {
	time.Sleep(way)
	_, err := n.API.Delete(podspec.Namespace, pod, metav1.DeleteOptions{GracePeriodSeconds: grace})
	return err
}

// Annotate implements player.Place.
func (n *place) Annotate(_ context.Context, pod, key, value string) error {
	return n.API.Annotate(podspec.Namespace, pod, key, value)
}

// RemoveFinalizers implements player.Place.
func (n *place) RemoveFinalizers(_ context.Context, pod string) error {
	return n.API.RemoveFinalizers(podspec.Namespace, pod)
}

// WriteManifest implements player.Place.
func (n *place) WriteManifest(ctx context.Context, s scenario.Scenario, changed bool) error {
	data, err := podspec.Manifest(s, "", changed)
	if err != nil {
		return err
	}
	return n.SetManifest(ctx, s.ID, data)
}

// RemoveManifest implements player.Place.
func (n *place) RemoveManifest(ctx context.Context, s scenario.Scenario) error {
	return n.SetManifest(ctx, s.ID, nil)
}

// Inject implements player.Place.
func (n *place) Inject(f fault.Fault) (remove func(), err error) {
	if f.Method == "PullImage" {
		// A real test node has no registry, so a delayed pull there finally fails.
		f.Fail = errNoRegistry
	}
	return n.Runtime.Inject(f)
}

var errNoRegistry = errors.New("failed to pull and unpack image: failed to resolve reference: dial tcp: connection refused")

// KillKubelet implements player.Place.
func (n *place) KillKubelet(context.Context) error {
	n.StopKubelet()
	return nil
}

// RestartRuntime implements player.Place.
func (n *place) RestartRuntime(context.Context) error {
	n.Runtime.Down()
	time.Sleep(runtimeDown)
	n.Runtime.Up()
	return nil
}

// Carry implements player.Place.
func (n *place) Carry(ctx context.Context, p *player.Play, do scenario.Action) error {
	switch do.(type) {
	case scenario.Taint:
		// There is no taint manager here: the harness sends the delete in its place.
		p.Delete(ctx, p.Target, nil)
	case scenario.LoseSandbox:
		n.Runtime.LoseSandbox(p.Target)
	case scenario.StopRuntime:
		n.Runtime.Down()
	case scenario.StartRuntime:
		n.Runtime.Up()
	case scenario.CutWatch:
		n.API.Cut()
	case scenario.Relist:
		n.API.Restore()
		return n.forgotten(p.Target)
	default:
		return p.CannotCarry()
	}
	return nil
}

// Kill calls the kubelet's kill function as its eviction manager and its node shutdown manager do, and waits for the answer in
// a goroutine.
func (n *place) Kill(ctx context.Context, p *player.Play, do scenario.Action) {
	var evicted bool
	var grace int64
	var change func(*corev1.PodStatus)
	switch do := do.(type) {
	case scenario.Evict:
		evicted, grace = true, do.Override(p.Scenario.Pod.Grace)
		change = func(status *corev1.PodStatus) {
			status.Phase, status.Reason, status.Message = corev1.PodFailed, "Evicted", "The node was low on resource: memory."
		}
	case scenario.Shutdown:
		grace = do.Override(p.Scenario.Pod.Grace)
		change = func(status *corev1.PodStatus) {
			if status.Phase != corev1.PodSucceeded {
				status.Phase = corev1.PodFailed
			}
			status.Reason, status.Message = "Terminated", "Pod was terminated in response to imminent node shutdown."
		}
	}
	call := history.Event{Kind: history.KubeletKill, CallID: n.calls.Add(1), Grace: &grace, Reason: do.String()}
	p.Log.Add(call)
	kubelet := n.Kubelet
	n.callers.Go(func() {
		err := kubelet.KillPod(ctx, podspec.Namespace, p.Target, evicted, &grace, change)
		answer := call
		answer.Kind = history.KubeletKilled
		if err != nil {
			answer.Error = err.Error()
		}
		p.Log.Add(answer)
	})
}

// forgotten waits until the kubelet's own list of pods no longer contains the pod.
func (n *place) forgotten(pod string) error {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if !n.Kubelet.Knows(podspec.Namespace, pod) {
			return nil
		}
	}
	return fmt.Errorf("the kubelet still has the pod after %v", patience)
}
