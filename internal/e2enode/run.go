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

package e2enode

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Values of Options.Specs.
const (
	SpecsAll        = "all"
	SpecsOwn        = "own"
	SpecsNeighbours = "neighbours"
)

// Options configure a run of the suite.
type Options struct {
	// Repo is the checkout to build from. Its Progress receives one line per step.
	Repo  *kubetree.Repo
	Minor string
	// Arms are run one after the other.
	Arms []verdict.Arm
	// Specs selects the series' own specs, upstream's neighbouring ones, or all.
	Specs string
	// Focus keeps the specs whose text, without labels, matches this regular expression; "" keeps all.
	Focus string
	// Procs is the number of specs that run concurrently.
	Procs int
	// Timeout bounds the suite on one arm.
	Timeout time.Duration
	// NoVet leaves out go vet on the suite's package.
	NoVet bool
	// Nodes is the folder of the nodes, Artifacts that of logs and reports.
	Nodes, Artifacts string
}

// Errors of Run that are not failures to run.
var (
	// ErrNoSpec means that Options.Focus selects nothing: it matches no spec of the series, and upstream's are not wanted.
	ErrNoSpec = errors.New("no spec of the series matches")
	// ErrVet is a red result: go vet finds a fault in a package of the suite that the series touches.
	ErrVet = errors.New("go vet fails")
)

// Report is what a run found.
type Report struct {
	Results []Result
	// Broken is the reason why results are missing; nil if none are.
	Broken error
}

// Run selects the specs, builds what is missing, runs the suite on a node of each arm, judges the specs, and writes the reports
// to the artifacts. An error means that there is no report.
func Run(ctx context.Context, o Options) (report Report, err error) {
	specs, err := o.choose()
	if err != nil {
		return report, err
	}
	// Building takes minutes on a fresh machine, so check first that the nodes can start.
	if err := localnode.Check(ctx, localnode.Config{Dir: filepath.Join(o.Nodes, "e2e-node"), Name: "e2e-node"}); err != nil {
		return report, err
	}
	for _, old := range []string{ResultsFile, JUnitFile} {
		if err := os.RemoveAll(filepath.Join(o.Artifacts, old)); err != nil {
			return report, err
		}
	}
	suites, err := o.build(ctx, specs)
	if err != nil {
		return report, err
	}
	if !o.NoVet {
		if err := o.vet(ctx); err != nil {
			return report, err
		}
	}
	for _, s := range suites {
		outcomes, err := s.run(ctx)
		if ctx.Err() != nil {
			return report, errors.Join(ctx.Err(), err)
		}
		if err != nil {
			report.Broken = errors.Join(report.Broken, err)
			continue
		}
		report.Results = append(report.Results, judge(s.arm, specs, outcomes)...)
	}
	if specs.neighbours != nil && o.Focus == "" && report.Broken == nil {
		report.Broken = specs.neighbours.checkCount(report.Results)
	}
	if err := write(o.Artifacts, report.Results); err != nil {
		return report, errors.Join(err, report.Broken)
	}
	return report, nil
}
