// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/kgrace/kgrace/internal/verdict"
)

// Options of a run.
type Options struct {
	Minor string
	Arm   verdict.Arm
	// Bin are the programs of the node, as in localnode.Config.Bin; Nodes is the parent directory of its directory.
	Bin   map[string]string
	Nodes string
	// Artifacts receives the results and the histories of pods with a broken rule.
	Artifacts string
	// For is how long pods come and go. The node's start, the last pods and the checks come on top.
	For time.Duration
	// Seed determines the pods and the disturbances.
	Seed uint64
	// Lanes is how many pods are under way at once; 0 derives it from the cores and from how long the first pod takes to start.
	Lanes int
	// Progress receives one line per event; nil discards them.
	Progress io.Writer
}

// shortest is the shortest run: with less no pod would end.
const shortest = time.Minute

func (o Options) check() error {
	switch {
	case o.For < shortest:
		return fmt.Errorf("a soak of %v: expected at least %v", o.For, shortest)
	case o.Lanes < 0:
		return fmt.Errorf("%d pods at once: expected at least 1, or 0 to derive the number from this machine's speed", o.Lanes)
	case o.Bin == nil:
		return errors.New("no programs given for the node")
	}
	return nil
}

// Times of a run. They decide no verdict.
const (
	// pause is how long a pod runs before its first request.
	pause = time.Second
	// settle is how long a pod is observed after its end, so that late events are still recorded.
	settle = 300 * time.Millisecond
	// answers is how long a call about a pod that is over may take.
	answers = 10 * time.Second
	// tells is the time between two lines of progress, and between two samples of the kubelet.
	tells = 10 * time.Second
	// calm is the part of a run at whose end the last kubelet is killed, so that the memory of one can be followed.
	calm = 2.0 / 3
	// cleared is how long the node may take to clear what is left of the last pods: the kubelet collects what ended every minute, and
	// after a failure it waits up to 5 minutes.
	cleared = 7 * time.Minute
	// beyond bounds what comes after the pods.
	beyond = 20 * time.Minute
	// downTimeout bounds taking the node down, which continues when the run is interrupted.
	downTimeout = time.Minute
)
