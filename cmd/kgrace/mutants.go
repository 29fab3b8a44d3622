// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/mutant"
	"github.com/kgrace/kgrace/internal/mutant/try"
	"github.com/kgrace/kgrace/internal/regress"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

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
			return runMutants(cmd.Context(), app, r, minor, scenario.Level(level), picked, jobs, out)
		},
	}
	addMinorFlag(cmd, &minor)
	cmd.Flags().StringVar(&level, "level", level, "level to run at: sim or node")
	cmd.Flags().IntVar(&jobs, "jobs", 0, "maximum number of concurrent scenarios at level node (default: depends on the machine)")
	cmd.Flags().BoolVar(&list, "list", false, "list the mutants and run nothing")
	cmd.Flags().VarP(&out, "output", "o", "output format")
	return cmd
}

func runMutants(ctx context.Context, app *app, r *kubetree.Repo, minor string, level scenario.Level, picked []mutant.Mutant, jobs int, out outputFlag) error {
	if level == scenario.LevelNode {
		tried := mutant.OnNodes(picked)
		if len(tried) == 0 {
			return usage(fmt.Errorf("none of these mutants names a scenario of level %s: %s", level, strings.Join(mutant.Names(picked), ", ")))
		}
		if err := localnode.Check(ctx, localnode.Config{Dir: filepath.Join(nodesDir(r), "regress"), Name: "regress"}); err != nil {
			return err
		}
		picked = tried
	}
	tree, err := r.Ensure(ctx, minor, verdict.Fixed, nil)
	if err != nil {
		return err
	}
	if not, _ := mutant.Misfits(tree.Dir, picked); len(not) > 0 && minor != r.Versions.Default {
		return usage(fmt.Errorf("the mutants are written for %s; these do not fit %s: %s; name others", r.Versions.Default, minor, strings.Join(mutant.Names(not), ", ")))
	}
	runner, header := try.Runner{Repo: r, Tree: tree, Progress: app.errs}, "CAUGHT BY"
	var results []try.Result
	if level == scenario.LevelNode {
		header = "RED IN"
		results, err = runner.Nodes(ctx, picked, playMutant(ctx, app, r, tree.Minor, jobs))
	} else {
		results, err = runner.Sim(ctx, picked)
	}
	if err != nil {
		return err
	}
	var rows [][]string
	for _, one := range results {
		rows = append(rows, []string{one.Mutant, one.File, one.String()})
	}
	if err := out.write(app.output, results, []string{"MUTANT", "FILE", header}, rows); err != nil {
		return err
	}
	survived, err := try.Judge(results)
	if survived {
		return red(err)
	}
	return err
}

// playMutant runs scenarios like `kgrace regress --level node --arm fixed`, with another kubelet.
func playMutant(ctx context.Context, app *app, r *kubetree.Repo, minor string, jobs int) try.Play {
	return func(rows []scenario.Scenario, kubelet, artifacts string) (results result.Results, err error) {
		q := &regression{minor: minor, arms: []verdict.Arm{verdict.Fixed}, scenarios: rows, jobs: jobs, artifacts: artifacts}
		bin, err := q.build(ctx, r)
		if err != nil {
			return results, err
		}
		bin[verdict.Fixed][localnode.ProgramKubelet] = kubelet
		results, _, err = q.playOn(ctx, app, r, r.Versions.Minors[minor].Go, suiteOfNodes, regress.Config{Bin: bin, Nodes: nodesDir(r)})
		return results, err
	}
}
