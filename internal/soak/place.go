// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"context"
	"errors"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kgrace/kgrace/internal/fault"
	"github.com/kgrace/kgrace/internal/player"
	"github.com/kgrace/kgrace/internal/podspec"
	"github.com/kgrace/kgrace/internal/scenario"
)

// request bounds one API request.
const request = 30 * time.Second

// place is where the pods are played. Only the soak itself disturbs the node.
type place struct {
	client         kubernetes.Interface
	node, linesDir string
	// up is held for reading by a request, and for writing while the API server is being restarted: a request waits for the server,
	// as its user would.
	up sync.RWMutex
}

var _ player.Place = (*place)(nil)

var errNotHere = errors.New("a pod of the soak does not disturb its node")

func (p *place) ask(ctx context.Context, do func(context.Context) error) error {
	p.up.RLock()
	defer p.up.RUnlock()
	ctx, cancel := context.WithTimeout(ctx, request)
	defer cancel()
	return do(ctx)
}

// Create implements player.Place.
func (p *place) Create(ctx context.Context, s scenario.Scenario) error {
	return p.ask(ctx, func(ctx context.Context) error {
		_, err := p.client.CoreV1().Pods(podspec.Namespace).Create(ctx, podspec.Pod(s, p.node, p.linesDir), metav1.CreateOptions{})
		return err
	})
}

// Delete implements player.Place.
func (p *place) Delete(ctx context.Context, pod string, grace *int64) error {
	return p.ask(ctx, func(ctx context.Context) error {
		return p.client.CoreV1().Pods(podspec.Namespace).Delete(ctx, pod, metav1.DeleteOptions{GracePeriodSeconds: grace})
	})
}

// The rest of player.Place is for scenarios that disturb their node, or have other pods.

func (*place) Annotate(context.Context, string, string, string) error       { return errNotHere }
func (*place) RemoveFinalizers(context.Context, string) error               { return errNotHere }
func (*place) WriteManifest(context.Context, scenario.Scenario, bool) error { return errNotHere }
func (*place) RemoveManifest(context.Context, scenario.Scenario) error      { return errNotHere }
func (*place) Inject(fault.Fault) (func(), error)                           { return nil, errNotHere }
func (*place) KillKubelet(context.Context) error                            { return errNotHere }
func (*place) StartKubelet(context.Context) error                           { return errNotHere }
func (*place) RestartRuntime(context.Context) error                         { return errNotHere }
func (*place) Carry(_ context.Context, p *player.Play, _ scenario.Action) error {
	return p.CannotCarry()
}
