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
	// Level is that of the run; "" is the node level.
	Level scenario.Level
	// Open makes the place of an arm; nil is a real node of this machine, made of Bin, or at the kind level a cluster, made of
	// Clusters.
	Open Opener
	Arms []verdict.Arm
	// Scenarios as they stand in the catalogue.
	Scenarios []scenario.Scenario
	// Bin holds the programs of each arm's node, as localnode.Config.Bin.
	Bin map[verdict.Arm]map[string]string
	// Clusters is what the clusters of the kind level are made of.
	Clusters *Clusters
	// Nodes is where the nodes' folders go, Artifacts where histories and results go.
	Nodes, Artifacts string
	// OneByOne runs one arm after the other; otherwise both at once, if this machine is fit for it.
	OneByOne bool
	// Jobs is how many scenarios may be under way at once, over both arms; 0 leaves it to the machine.
	Jobs int
	// Progress takes one line for each thing done; nil for none.
	Progress io.Writer
}

func (o Options) check() error {
	switch {
	case len(o.Scenarios) == 0:
		return errors.New("no scenario to run")
	case len(o.Arms) == 0:
		return errors.New("no arm to run on")
	case o.Jobs < 0:
		return fmt.Errorf("%d scenarios at once: expected at least 1, or 0 for as many as this machine is fit for", o.Jobs)
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

// Durations of a run. None decides a verdict: what is not seen in time makes a scenario invalid, or is broken by a bound
// of the contract that lies far inside.
const (
	// rest is how long a pod runs at least before the first step: a pod deleted right after its start is stopped only when
	// the pod cache is newer, up to 2 s later on stock.
	rest = 3 * time.Second
	// settle is how long it is observed after all is over: an event that the kubelet sends in the background, a second
	// TERM, a late call must have the time to come.
	settle = time.Second
	// request bounds one API request.
	request = 10 * time.Second
)
