// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"time"

	"github.com/kgrace/kgrace/internal/scenario"
)

// Bounds are the durations from the contract and the tolerances of a level.
type Bounds struct {
	// Slack is added to every "not after" bound: 0 in virtual time, 1.5 s on a real node.
	Slack time.Duration
	// Window is the minimum stop timeout of a container with a grace period above 0 (R5).
	Window time.Duration
	// Rounding is the most that rounding up to whole seconds can add to a stop timeout (R3).
	Rounding time.Duration
	// Acts is how long the worker may take to send the shorter stop, from the moment it learns of the request (R3).
	Acts time.Duration
	// Returns is the time within which the terminating sync must return after its context is done (R8).
	Returns time.Duration
	// Newer is how long the worker may wait, before the first terminating sync, for a pod status that is newer than its last
	// SyncPod.
	Newer time.Duration
	// Grain is the resolution for comparing timestamps of different programs on one clock. It is the only tolerance of a "not
	// before" bound, which counts from the request and therefore already lies before the worker's own start.
	Grain time.Duration
}

// At returns the bounds of a level.
func At(level scenario.Level) Bounds {
	b := Bounds{
		Window:   2 * time.Second,
		Rounding: time.Second,
		Acts:     200 * time.Millisecond,
		Returns:  100 * time.Millisecond,
		Newer:    2 * time.Second,
	}
	if level != scenario.LevelSim {
		b.Slack = 1500 * time.Millisecond
		b.Grain = 50 * time.Millisecond
	}
	return b
}
