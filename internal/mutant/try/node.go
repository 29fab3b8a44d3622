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

package try

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/kgrace/kgrace/internal/mutant"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Play runs scenarios on a real node of the fixed arm with another kubelet. rows are those that the minor can run.
type Play func(rows []scenario.Scenario, kubelet, artifacts string) (result.Results, error)

// Nodes tries the mutants on real nodes, each in the scenarios that it names.
func (r Runner) Nodes(ctx context.Context, all []mutant.Mutant, play Play) ([]Result, error) {
	catalogue, err := scenario.Catalogue()
	if err != nil {
		return nil, err
	}
	return r.each(ctx, all, func(m mutant.Mutant) ([]Catcher, []string, error) { return r.node(ctx, m, catalogue, play) })
}

// node returns the scenarios in which the mutant's kubelet was red, and those of m.Node in which it was not. A scenario without
// a verdict is an error.
func (r Runner) node(ctx context.Context, m mutant.Mutant, catalogue []scenario.Scenario, play Play) (by []Catcher, missed []string, err error) {
	rows, _, err := scenario.PickIn(catalogue, r.Tree.Minor, scenario.LevelNode, m.Node...)
	if err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(r.Repo.Output, "mutants", r.Tree.Minor, m.Name)
	overlay, err := m.Overlay(dir, r.Tree.Dir, "")
	if err != nil {
		return nil, nil, err
	}
	kubelet := filepath.Join(dir, "kubelet")
	defer os.Remove(kubelet)
	if err := r.Repo.BuildOverlaid(ctx, r.Tree.Minor, verdict.Fixed, "kubelet", overlay, kubelet); err != nil {
		return nil, nil, err
	}
	results, err := play(rows, kubelet, filepath.Join(dir, "artifacts"))
	if err != nil {
		return nil, nil, err
	}
	by = caughtBy(results)
	missed, err = notRed(results, by)
	return by, missed, err
}

// notRed returns the scenarios of a run that no judge found red. The error names those without a verdict.
func notRed(results result.Results, by []Catcher) (missed []string, err error) {
	for _, id := range results.Scenarios {
		if slices.ContainsFunc(by, func(c Catcher) bool { return c.Scenario == id }) {
			continue
		}
		one, _ := results.Find(id, verdict.Fixed)
		if why := one.Invalid(); why != "" || len(one.Rules) == 0 {
			err = errors.Join(err, fmt.Errorf("%s has no verdict: %s", id, why))
			continue
		}
		missed = append(missed, id)
	}
	return missed, err
}
