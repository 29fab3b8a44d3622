// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Options of a run.
type Options struct {
	// Minor is the Kubernetes minor, for headers and reports.
	Minor string
	// Level is the level of the run; "" means the node level.
	Level scenario.Level
	// Open opens the place of an arm. If nil, it is a real node on this machine with the programs of Bin, or at the kind level
	// a cluster described by Clusters.
	Open Opener
	Arms []verdict.Arm
	// Scenarios are the scenarios to run, unchanged from the catalogue.
	Scenarios []scenario.Scenario
	// Bin maps each arm to the programs of its node, as in localnode.Config.Bin.
	Bin map[verdict.Arm]map[string]string
	// Clusters describes the clusters of the kind level.
	Clusters *Clusters
	// Nodes is the parent directory of the nodes' directories; Artifacts receives histories and results.
	Nodes, Artifacts string
	// OneByOne runs one arm after the other; otherwise both run at once if this machine is fast enough.
	OneByOne bool
	// Jobs is the maximum number of scenarios under way at once, over both arms; 0 derives it from the machine's speed.
	Jobs int
	// Progress receives one line per event; nil discards them.
	Progress io.Writer
}

func (o Options) check() error {
	switch {
	case len(o.Scenarios) == 0:
		return errors.New("no scenario to run")
	case len(o.Arms) == 0:
		return errors.New("no arm to run on")
	case o.Jobs < 0:
		return fmt.Errorf("%d scenarios at once: expected at least 1, or 0 to derive the number from this machine's speed", o.Jobs)
	}
	for _, arm := range o.Arms {
		switch {
		case o.Open != nil:
		case o.Level == scenario.LevelNode && o.Bin[arm] == nil:
			return fmt.Errorf("no programs given for arm %s", arm)
		case o.Level == scenario.LevelKind && (o.Clusters == nil || o.Clusters.Images[arm] == ""):
			return fmt.Errorf("no node image given for arm %s", arm)
		}
	}
	for _, s := range o.Scenarios {
		if !s.Runs(o.Level) {
			return fmt.Errorf("scenario %s does not run at level %s", s.ID, o.Level)
		}
		for _, step := range s.At(o.Level).Steps {
			if !carries(o.Level, step.Do) {
				return fmt.Errorf("scenario %s: level %s cannot carry out %v", s.ID, o.Level, step)
			}
		}
	}
	return nil
}

// Durations of a run. They decide no verdict: an event that is not seen in time makes a scenario invalid, or breaks a much
// shorter bound of the contract.
const (
	// rest is the minimum time that a pod runs before the first step: a pod deleted right after its start is stopped only when
	// the pod cache is newer, up to 2 s later on stock.
	rest = 3 * time.Second
	// settle is how long a scenario is observed after its end, so that late events are still recorded: one that the kubelet
	// sends in the background, a second TERM, a late call.
	settle = time.Second
	// request bounds one API request.
	request = 10 * time.Second
)
