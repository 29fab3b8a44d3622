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

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/kubetree"
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

// mutantResult is the result of one mutant.
type mutantResult struct {
	Mutant string    `json:"mutant"`
	What   string    `json:"what"`
	File   string    `json:"file"`
	Caught bool      `json:"caught"`
	By     []catcher `json:"by,omitempty"`
	// Seconds includes compiling.
	Seconds float64 `json:"seconds"`
}

// catcher is a scenario in which a rule was broken.
type catcher struct {
	Scenario string        `json:"scenario"`
	Rule     scenario.Rule `json:"rule"`
	Why      string        `json:"why"`
}

// mutantHistories is the number of random scenarios for a mutant that the catalogue does not catch.
const mutantHistories = 1000

// mutantTime is the time limit of a mutant's suite, which a mutant may make hang.
const mutantTime = 5 * time.Minute

func newMutantsCommand(app *app) *cobra.Command {
	out := newOutputFlag()
	list := false
	level := string(scenario.LevelSim)
	jobs := 0
	minor := ""
	cmd := &cobra.Command{
		Use:   "mutants [NAME...]",
		Short: "Apply deliberate bugs to the fix and check that the catalogue catches them",
		Long: `Apply one deliberate bug at a time to the fix and run the catalogue at the sim level on that kubelet. Each mutant must be
caught: a judge finds a rule broken in some scenario. A mutant that survives is a failure. Random scenarios run on a mutant that no
row of the catalogue catches. A mutant that affects pods nobody hurried must differ from stock in random scenarios.

At level node the broken kubelet runs on a real node, with the scenarios that the mutant names and nothing else; each of them must
be red. Mutants that name none are left out. It needs root.

Each mutant is compiled by an overlay over the fixed tree, which stays as it is. That takes 10 to 20 s each, and a kubelet a minute. The
mutants are written for the default minor's fix; another minor is refused if one of them does not fit there.`,
		Example: "  kgrace mutants\n  kgrace mutants round-down restart-hook\n  kgrace mutants --level node zero-clamped-to-one\n  kgrace mutants --list",
		RunE: func(cmd *cobra.Command, names []string) error {
			picked, err := mutant.Pick(names...)
			if err != nil {
				return usage(err)
			}
			if minor != "" {
				if _, _, err := app.seriesOf(minor); err != nil {
					return err
				}
			}
			if list {
				var rows [][]string
				for _, m := range picked {
					rows = append(rows, []string{m.Name, m.File, m.What})
				}
				return out.write(app.output, picked, []string{"MUTANT", "FILE", "WHAT IT DOES"}, rows)
			}
			levels := []scenario.Level{scenario.LevelSim, scenario.LevelNode}
			if !slices.Contains(levels, scenario.Level(level)) {
				return usage(tool.NewUnknown("level", level, "", levels))
			}
			r, minor, err := app.seriesOf(minor)
			if err != nil {
				return err
			}
			if scenario.Level(level) == scenario.LevelNode {
				return runMutantsOnNodes(cmd.Context(), app, r, minor, picked, jobs, out)
			}
			return runMutants(cmd.Context(), app, r, minor, picked, out)
		},
	}
	addMinorFlag(cmd, &minor)
	cmd.Flags().StringVar(&level, "level", level, "level to run at: sim or node")
	cmd.Flags().IntVar(&jobs, "jobs", 0, "maximum number of concurrent scenarios at level node (default: depends on the machine)")
	cmd.Flags().BoolVar(&list, "list", false, "list the mutants and run nothing")
	cmd.Flags().VarP(&out, "output", "o", "output format")
	return cmd
}

// fitting returns the fixed tree of a minor in which every mutant finds its text.
func fitting(ctx context.Context, r *kubetree.Repo, minor string, picked []mutant.Mutant) (*kubetree.Tree, error) {
	tree, err := r.Ensure(ctx, minor, verdict.Fixed, nil)
	if err != nil {
		return nil, err
	}
	var not []mutant.Mutant
	for _, m := range picked {
		if m.Fits(tree.Dir) != nil {
			not = append(not, m)
		}
	}
	if len(not) > 0 && minor != r.Versions.Default {
		return nil, usage(fmt.Errorf("the mutants are written for %s; these do not fit %s: %s; name others", r.Versions.Default, minor, names(not)))
	}
	return tree, nil
}

func runMutants(ctx context.Context, app *app, r *kubetree.Repo, minor string, picked []mutant.Mutant, out outputFlag) error {
	tree, err := fitting(ctx, r, minor, picked)
	if err != nil {
		return err
	}
	pins, err := r.Versions.Minor(tree.Minor)
	if err != nil {
		return err
	}
	// A mutant's go.mod and overlay are made from the fixed suite's.
	base, err := simbuild.Build(ctx, r, tree.Minor, verdict.Fixed)
	if err != nil {
		return err
	}
	all, err := scenario.Catalogue()
	if err != nil {
		return err
	}
	rows, _, err := scenario.PickIn(all, tree.Minor, scenario.LevelSim)
	if err != nil {
		return err
	}
	var results []mutantResult
	var table [][]string
	var survived []string
	var errs []error
	for i, m := range picked {
		begin := time.Now()
		fmt.Fprintf(app.errs, "mutants: %d of %d: %s: %s\n", i+1, len(picked), m.Name, m.What)
		dir := filepath.Join(r.Output, "sim", tree.Minor, "mutants", m.Name)
		by, err := tryMutant(ctx, r, m, dir, filepath.Dir(base), tree, pins.Go, rows)
		if ctx.Err() != nil {
			return err
		}
		one := mutantResult{Mutant: m.Name, What: m.What, File: m.File, Caught: len(by) > 0, By: by, Seconds: time.Since(begin).Seconds()}
		results = append(results, one)
		caught := "SURVIVED"
		switch {
		case err != nil:
			caught = "ERROR"
			errs = append(errs, fmt.Errorf("mutant %s: %w", m.Name, err))
		case !one.Caught:
			survived = append(survived, m.Name)
		default:
			caught = catchers(by)
		}
		fmt.Fprintf(app.errs, "mutants: %s: %s (%.0f s)\n", m.Name, caught, one.Seconds)
		table = append(table, []string{m.Name, m.File, caught})
	}
	if err := out.write(app.output, results, []string{"MUTANT", "FILE", "CAUGHT BY"}, table); err != nil {
		return err
	}
	if len(survived) > 0 {
		return red(errors.Join(append(errs, fmt.Errorf("%d of %d mutants survived: %s", len(survived), len(picked), strings.Join(survived, ", ")))...))
	}
	return errors.Join(errs...)
}

// catchers formats the first three and the number of the others.
func catchers(by []catcher) string {
	var words []string
	for _, c := range by[:min(len(by), 3)] {
		words = append(words, fmt.Sprintf("%s (%s)", c.Scenario, c.Rule))
	}
	text := strings.Join(words, ", ")
	if more := len(by) - len(words); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// tryMutant compiles the suite with the mutant and runs it. Histories and results stay in dir; the suite does not.
func tryMutant(ctx context.Context, r *kubetree.Repo, m mutant.Mutant, dir, base string, tree *kubetree.Tree, toolchain string, rows []scenario.Scenario) ([]catcher, error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	overlay, err := m.Overlay(dir, tree.Dir, filepath.Join(base, "overlay.json"))
	if err != nil {
		return nil, err
	}
	suite := filepath.Join(dir, "sim.test")
	defer os.Remove(suite)
	if err := compileMutant(ctx, r, toolchain, filepath.Join(base, "go.mod"), overlay, suite); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, mutantTime, fmt.Errorf("the suite did not end in %v", mutantTime))
	defer cancel()
	if m.Unhurried {
		return againstStock(ctx, r, suite, property.Config{Minor: tree.Minor, Arm: verdict.Fixed, Behaviour: sim.Containerd, Seed: 1, Count: mutantHistories, Artifacts: dir})
	}
	config := simkubelet.Config{Minor: tree.Minor, Arm: verdict.Fixed, Behaviour: sim.Containerd, Artifacts: dir}
	for _, s := range rows {
		config.Scenarios = append(config.Scenarios, s.ID)
	}
	results, _, err := simbuild.Run(ctx, suite, config)
	if err != nil {
		return nil, err
	}
	if by := caughtBy(results); len(by) > 0 {
		return by, nil
	}
	parts, err := play.Run{Processes: 2}.Requests(ctx, suite, property.Config{Minor: tree.Minor, Arm: verdict.Fixed,
		Behaviour: sim.Containerd, Seed: 1, Count: mutantHistories, Shrink: true, Artifacts: dir})
	if err != nil {
		return nil, err
	}
	var by []catcher
	for _, f := range parts.Broken {
		by = append(by, catcher{Scenario: fmt.Sprintf("random seed %d", f.Seed), Rule: f.Rule, Why: f.Scenario + ": " + f.Why})
	}
	return by, nil
}

// againstStock plays random unhurried scenarios on stock and on a mutant's suite and compares them.
func againstStock(ctx context.Context, r *kubetree.Repo, suite string, c property.Config) (by []catcher, err error) {
	stock, err := simbuild.Build(ctx, r, c.Minor, verdict.Stock)
	if err != nil {
		return nil, err
	}
	results, err := play.Run{Processes: 2}.Unhurried(ctx, verdict.Stock, map[verdict.Arm]string{verdict.Stock: stock, verdict.Fixed: suite}, c)
	for _, f := range results.Broken {
		by = append(by, catcher{Scenario: fmt.Sprintf("unhurried seed %d", f.Seed), Rule: f.Rule, Why: f.Scenario + ": " + f.Why})
	}
	return by, err
}

func compileMutant(ctx context.Context, r *kubetree.Repo, toolchain, mod, overlay, suite string) error {
	unlock, err := r.LockBuild(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = tool.Go(ctx, r.Root, toolchain, nil, "test", "-c", "-vet=off", "-tags", simbuild.Tag, "-modfile", mod, "-overlay", overlay, "-o", suite, "./test/regression/sim")
	return err
}

// leftover is testing/synctest's text for goroutines that outlive a scenario.
const leftover = "blocked goroutines remain"

// caughtBy returns the rules that a judge found broken, and NoLeftovers where goroutines were left.
func caughtBy(results result.Results) (by []catcher) {
	for _, one := range results.Results {
		for _, rule := range one.Rules {
			switch {
			case rule.Verdict.Red():
				by = append(by, catcher{one.Scenario, rule.Rule, rule.Why})
			case strings.Contains(rule.Why, leftover):
				by = append(by, catcher{one.Scenario, scenario.NoLeftovers, leftover})
			}
		}
	}
	return by
}
