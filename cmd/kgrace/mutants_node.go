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

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/mutant"
	"github.com/kgrace/kgrace/internal/regress"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// runMutantsOnNodes builds a kubelet of each mutant and runs the scenarios that it names on a real node.
func runMutantsOnNodes(ctx context.Context, app *app, r *kubetree.Repo, minor string, picked []mutant.Mutant, jobs int, out outputFlag) error {
	tried := mutant.OnNodes(picked)
	if len(tried) == 0 {
		return usage(fmt.Errorf("none of these mutants names a scenario of level %s: %s", scenario.LevelNode, names(picked)))
	}
	if err := localnode.Check(ctx, localnode.Config{Dir: filepath.Join(nodesDir(r), "regress"), Name: "regress"}); err != nil {
		return err
	}
	tree, err := fitting(ctx, r, minor, tried)
	if err != nil {
		return err
	}
	pins, err := r.Versions.Minor(tree.Minor)
	if err != nil {
		return err
	}
	var results []mutantResult
	var table [][]string
	var survived []string
	var errs []error
	for i, m := range tried {
		begin := time.Now()
		fmt.Fprintf(app.errs, "mutants: %d of %d: %s: %s\n", i+1, len(tried), m.Name, m.What)
		by, missed, err := tryMutantOnNode(ctx, app, r, tree, m, jobs, pins.Go)
		if ctx.Err() != nil {
			return err
		}
		one := mutantResult{Mutant: m.Name, What: m.What, File: m.File, Caught: err == nil && len(missed) == 0, By: by, Seconds: time.Since(begin).Seconds()}
		results = append(results, one)
		caught := catchers(by)
		switch {
		case err != nil:
			caught = "ERROR"
			errs = append(errs, fmt.Errorf("mutant %s: %w", m.Name, err))
		case !one.Caught:
			caught = "SURVIVED " + strings.Join(missed, ", ")
			survived = append(survived, m.Name)
		}
		fmt.Fprintf(app.errs, "mutants: %s: %s (%.0f s)\n", m.Name, caught, one.Seconds)
		table = append(table, []string{m.Name, m.File, caught})
	}
	if err := out.write(app.output, results, []string{"MUTANT", "FILE", "RED IN"}, table); err != nil {
		return err
	}
	if len(survived) > 0 {
		return red(errors.Join(append(errs, fmt.Errorf("%d of %d mutants survived: %s", len(survived), len(tried), strings.Join(survived, ", ")))...))
	}
	return errors.Join(errs...)
}

// tryMutantOnNode returns the scenarios in which the mutant's kubelet was red, and those of m.Node in which it was not. A
// scenario without a verdict is an error.
func tryMutantOnNode(ctx context.Context, app *app, r *kubetree.Repo, tree *kubetree.Tree, m mutant.Mutant, jobs int, toolchain string) (by []catcher, missed []string, err error) {
	q := &regression{minor: tree.Minor, level: string(scenario.LevelNode), arms: []verdict.Arm{verdict.Fixed}, ids: m.Node, jobs: jobs}
	if q.catalogue, err = scenario.Catalogue(); err != nil {
		return nil, nil, err
	}
	if err := q.pick(); err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(r.Output, "mutants", tree.Minor, m.Name)
	overlay, err := m.Overlay(dir, tree.Dir, "")
	if err != nil {
		return nil, nil, err
	}
	kubelet := filepath.Join(dir, "kubelet")
	defer os.Remove(kubelet)
	if err := r.BuildOverlaid(ctx, q.minor, verdict.Fixed, "kubelet", overlay, kubelet); err != nil {
		return nil, nil, err
	}
	bin, err := q.build(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	bin[verdict.Fixed][localnode.ProgramKubelet] = kubelet
	q.artifacts = filepath.Join(dir, "artifacts")
	results, _, err := q.playOn(ctx, app, r, toolchain, suiteOfNodes, regress.Config{Bin: bin, Nodes: nodesDir(r)})
	if err != nil {
		return nil, nil, err
	}
	by = caughtBy(results)
	missed, err = notRed(results, by)
	return by, missed, err
}

// notRed returns the scenarios of a run that no judge found red. The error names those without a verdict.
func notRed(results result.Results, by []catcher) (missed []string, err error) {
	for _, id := range results.Scenarios {
		if slices.ContainsFunc(by, func(c catcher) bool { return c.Scenario == id }) {
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

func names(all []mutant.Mutant) string {
	var words []string
	for _, m := range all {
		words = append(words, m.Name)
	}
	return strings.Join(words, ", ")
}
