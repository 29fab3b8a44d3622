// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package try

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/kgrace/kgrace/internal/kubebuild"
	"github.com/kgrace/kgrace/internal/mutant"
	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/property/play"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/simbuild"
	"github.com/kgrace/kgrace/internal/simkubelet"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// histories is the number of random scenarios for a mutant that the catalogue does not catch.
const histories = 1000

// enough is the number of differences after which a mutant is caught for certain.
const enough = 3

// suiteTime is the time limit of a mutant's suite, which a mutant may make hang.
const suiteTime = 10 * time.Minute

// Sim tries the mutants at the sim level.
func (r Runner) Sim(ctx context.Context, all []mutant.Mutant) ([]Result, error) {
	// A mutant's go.mod and overlay are made from the fixed suite's.
	base, err := simbuild.Build(ctx, r.Repo, r.Tree.Minor, verdict.Fixed)
	if err != nil {
		return nil, err
	}
	catalogue, err := scenario.Catalogue()
	if err != nil {
		return nil, err
	}
	rows, _, err := scenario.PickIn(catalogue, r.Tree.Minor, scenario.LevelSim)
	if err != nil {
		return nil, err
	}
	return r.each(ctx, all, func(m mutant.Mutant) ([]Catcher, []string, error) {
		by, err := r.sim(ctx, m, filepath.Dir(base), rows)
		return by, nil, err
	})
}

// sim compiles the suite with the mutant and runs it. Histories and results stay in the output directory; the suite does not.
func (r Runner) sim(ctx context.Context, m mutant.Mutant, base string, rows []scenario.Scenario) ([]Catcher, error) {
	dir := filepath.Join(r.Repo.Output, "sim", r.Tree.Minor, "mutants", m.Name)
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	overlay, err := m.Overlay(dir, r.Tree.Dir, filepath.Join(base, "overlay.json"))
	if err != nil {
		return nil, err
	}
	suite := filepath.Join(dir, "sim.test")
	defer os.Remove(suite)
	unlock, err := r.Repo.LockBuild(ctx)
	if err != nil {
		return nil, err
	}
	_, err = tool.Go(ctx, r.Repo.Root, r.Repo.Versions.Minors[r.Tree.Minor].Go, nil, "test", "-c", "-vet=off", "-tags", simbuild.Tag,
		"-modfile", filepath.Join(base, "go.mod"), "-overlay", overlay, "-o", suite, "./test/regression/sim")
	unlock()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, suiteTime, fmt.Errorf("the suite did not end in %v", suiteTime))
	defer cancel()
	random := property.Config{Minor: r.Tree.Minor, Arm: verdict.Fixed, Behaviour: sim.Containerd, Seed: 1, Count: histories, Shrink: true, Artifacts: dir}
	if m.Unhurried {
		stock, err := simbuild.Build(ctx, r.Repo, r.Tree.Minor, verdict.Stock)
		if err != nil {
			return nil, err
		}
		results, err := play.Run{Processes: 2, Enough: enough}.Unhurried(ctx, verdict.Stock, map[verdict.Arm]string{verdict.Stock: stock, verdict.Fixed: suite}, random)
		return brokenIn("unhurried", results), err
	}
	results, _, err := simbuild.Run(ctx, suite, simkubelet.Config{Minor: r.Tree.Minor, Arm: verdict.Fixed, Behaviour: sim.Containerd, Scenarios: scenario.IDs(rows), Artifacts: dir})
	if err != nil {
		return nil, err
	}
	if by := caughtBy(results); len(by) > 0 {
		return by, nil
	}
	parts, err := play.Run{Processes: 2}.Requests(ctx, suite, random)
	return brokenIn("random", parts), err
}

// brokenIn returns the random scenarios in which a rule was broken.
func brokenIn(kind string, results property.Results) (by []Catcher) {
	for _, f := range results.Broken {
		by = append(by, Catcher{Scenario: fmt.Sprintf("%s seed %d", kind, f.Seed), Rule: f.Rule, Why: f.Scenario + ": " + f.Why})
	}
	return by
}

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
	if err := kubebuild.New(r.Repo).BuildOverlaid(ctx, r.Tree.Minor, verdict.Fixed, "kubelet", overlay, kubelet); err != nil {
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
