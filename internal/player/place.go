// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package player

import (
	"context"

	"github.com/kgrace/kgrace/internal/fault"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Place is where a scenario is played: a node with its API server.
type Place interface {
	// Create creates the scenario's pod, or the controller that creates it.
	Create(ctx context.Context, s scenario.Scenario) error
	// Delete sends one delete of a pod; nil requests no grace.
	Delete(ctx context.Context, pod string, grace *int64) error
	// Annotate sets an annotation of a pod, RemoveFinalizers removes its finalizers.
	Annotate(ctx context.Context, pod, key, value string) error
	RemoveFinalizers(ctx context.Context, pod string) error
	// WriteManifest writes the manifest of the scenario's static pod, or a changed version of it; RemoveManifest removes it.
	WriteManifest(ctx context.Context, s scenario.Scenario, changed bool) error
	RemoveManifest(ctx context.Context, s scenario.Scenario) error

	// Inject adds a fault of the runtime.
	Inject(f fault.Fault) (remove func(), err error)
	// KillKubelet ends the kubelet with SIGKILL; StartKubelet and RestartRuntime return when the started program serves.
	KillKubelet(ctx context.Context) error
	StartKubelet(ctx context.Context) error
	RestartRuntime(ctx context.Context) error

	// Carry carries out a step in the way of this kind of place, or refuses it: see CannotCarry.
	Carry(ctx context.Context, p *Play, do scenario.Action) error
}

// Killer is a place that can call the kubelet's own kill function, as eviction and node shutdown do. It records the call and
// its answer in the history itself.
type Killer interface {
	Kill(ctx context.Context, p *Play, do scenario.Action)
}
