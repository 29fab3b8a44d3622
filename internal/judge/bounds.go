/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package judge

import (
	"time"

	"github.com/kgrace/kgrace/internal/scenario"
)

// Bounds are the durations that the contract gives and the ones that a level needs.
type Bounds struct {
	// Slack is what a real machine may take on top of every "not after": 0 in virtual time, 1.5 s on a real node.
	Slack time.Duration
	// Window is the least time to stop that a grace above 0 leaves to a container (R5).
	Window time.Duration
	// Rounding is what "rounded up to whole seconds" may add to a stop timeout (R3).
	Rounding time.Duration
	// Acts is how long after the worker was told a shorter stop must have been sent (R3).
	Acts time.Duration
	// Returns is how long the terminating sync may take to return once its context is done (R8).
	Returns time.Duration
	// Newer is how long the worker may wait, before the first terminating sync, for a status of the pod that is newer than its last
	// SyncPod.
	Newer time.Duration
	// Grain is the resolution to which stamps of different programs on one clock are compared. It is the only
	// tolerance of a "not before", which counts from the request and so lies before the worker's own start already.
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
