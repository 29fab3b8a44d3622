// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/junit"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/scale"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// scaleRun holds the flags of `kgrace scale`.
type scaleRun struct {
	minor, arm, level, artifacts string
	pods                         []int
	stockGrace                   int64
	seed                         int
	out                          outputFlag
	arms                         []verdict.Arm
}

func newScaleCommand(app *app) *cobra.Command {
	q := &scaleRun{out: newOutputFlag()}
	cmd := &cobra.Command{
		Use:   "scale",
		Short: "End many pods of one node at once: stock, fixed, and the runtime alone",
		Long: fmt.Sprintf(`End many stubborn pods of one node at once, on both arms and by the runtime alone, and print one table.

For each number of pods a fresh node of each arm plays three parts: a force of running pods, a force 5 s into a termination of
%d s, and a delete(%d) 5 s into it. As a control, the same stop calls are made for the same containers on the same node with no
kubelet: the runtime alone. What the pods need is judged by that: the last one dead at most 1.3 times as late, 1.5 times above
110 pods, and each that soon after the kubelet had read its request, by its log, with its stop call within 0.5 s. With --arm fixed
the run has no stock part and takes half as long. If something cannot be judged because the machine was late, and nothing is red,
that number of pods is played once more.

Numbers of pods that the machine's memory forbids are refused with the reason; the others run.

Level sim asks the same about the kubelet's code alone, in virtual time, on both simulated runtimes: pods that are shortened at
random, and how the wall time grows with their number.

scale.json, scale.md, scale.svg (dead pods over time), JUnit and all histories go to $%s (default: artifacts in the output
directory). Level node needs root.

Exit codes:
  0  every goal is met
  1  red: a goal is missed
  2  the command line is wrong
  3  invalid: nothing is red, but something could not be run or judged`, scale.Grace, scale.Shorter, ArtifactsVar),
		Example: "  kgrace scale\n  kgrace scale --pods 20 --arm fixed\n  kgrace scale --pods 60,110,250,500\n  kgrace scale --level sim --pods 100,300,1000",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := q.resolve(); err != nil {
				return usage(err)
			}
			if scenario.Level(q.level) == scenario.LevelSim {
				return q.simulate(cmd.Context(), app)
			}
			return q.onNodes(cmd.Context(), app)
		},
	}
	flags := cmd.Flags()
	addMinorFlag(cmd, &q.minor)
	addArmFlag(cmd, &q.arm)
	flags.StringVar(&q.level, "level", string(scenario.LevelNode), "level to run at: node or sim")
	flags.IntSliceVar(&q.pods, "pods", nil, "numbers of pods, one run each (default: 60; 100,300,1000 at level sim)")
	flags.Int64Var(&q.stockGrace, "stock-grace", 40, "grace period in seconds of hurried pods on stock, which takes that long")
	flags.IntVar(&q.seed, "seed", 1, "seed of the random requests at level sim")
	flags.StringVar(&q.artifacts, "artifacts", os.Getenv(ArtifactsVar), "directory for results and histories")
	flags.VarP(&q.out, "output", "o", "output format")
	return cmd
}

// resolve checks the flags and fills in defaults.
func (q *scaleRun) resolve() (err error) {
	if q.arms, err = armsOf(q.arm); err != nil {
		return err
	}
	switch scenario.Level(q.level) {
	case scenario.LevelNode:
		if len(q.pods) == 0 {
			q.pods = []int{60}
		}
	case scenario.LevelSim:
		if len(q.pods) == 0 {
			q.pods = []int{100, 300, 1000}
		}
	default:
		return fmt.Errorf("level %q: want %s or %s", q.level, scenario.LevelNode, scenario.LevelSim)
	}
	slices.Sort(q.pods)
	q.pods = slices.Compact(q.pods)
	if q.pods[0] < 1 {
		return fmt.Errorf("--pods %d: want at least 1", q.pods[0])
	}
	if q.stockGrace < 20 || q.stockGrace > scale.Grace {
		return fmt.Errorf("--stock-grace %d: want %d to %d, longer than the shortened grace and at most that of the fixed arm", q.stockGrace, 20, scale.Grace)
	}
	return nil
}

// prepare returns the checkout, with the minor and the artifacts directory settled.
func (q *scaleRun) prepare(app *app) (*kubetree.Repo, error) {
	r, minor, err := app.seriesOf(q.minor)
	if err != nil {
		return nil, err
	}
	q.minor = minor
	if q.artifacts, err = filepath.Abs(cmp.Or(q.artifacts, filepath.Join(r.Output, "artifacts"))); err != nil {
		return nil, err
	}
	return r, os.MkdirAll(q.artifacts, 0o755)
}

func (q *scaleRun) onNodes(ctx context.Context, app *app) error {
	r, err := q.prepare(app)
	if err != nil {
		return err
	}
	machine, err := scale.ReadMachine()
	if err != nil {
		return err
	}
	if why := machine.Refuses(q.pods[0]); why != "" {
		return errors.New(why)
	}
	// Building takes minutes on a fresh machine, so check first that the nodes can start.
	if err := localnode.Check(ctx, localnode.Config{Dir: filepath.Join(nodesDir(r), "scale"), Name: "scale"}); err != nil {
		return err
	}
	bin, err := (&regression{minor: q.minor, arms: q.arms}).build(ctx, r)
	if err != nil {
		return err
	}
	results, failed := scale.Run(ctx, scale.Options{Minor: q.minor, Arms: q.arms, Pods: q.pods, StockGrace: q.stockGrace, Bin: bin,
		Nodes: nodesDir(r), Artifacts: q.artifacts, Progress: app.errs}, machine)
	if err := results.Write(q.artifacts); err != nil {
		return errors.Join(failed, err)
	}
	if err := q.print(app, results); err != nil {
		return errors.Join(failed, err)
	}
	fmt.Fprintf(app.errs, "scale: %d s; %s and its files are in %s\n", int(results.Seconds), scale.DocumentFile, q.artifacts)
	good, bad, invalid := junit.Counts(results.Cases())
	return outcome(good, bad, invalid, failed, "nothing was run: "+strings.Join(refusals(results), "; "))
}

func refusals(r scale.Results) (all []string) {
	for _, why := range r.Refused {
		all = append(all, why)
	}
	return all
}

// print prints the table, and the goals that are not met.
func (q *scaleRun) print(app *app, results scale.Results) error {
	header, rows := results.Table()
	if err := q.out.write(app.output, results, header, rows); err != nil || q.out == "json" {
		return err
	}
	fmt.Fprintln(app.output)
	if header, rows = results.FiguresTable(); len(rows) > 0 {
		if err := q.out.write(app.output, nil, header, rows); err != nil {
			return err
		}
		fmt.Fprintln(app.output)
	}
	header, rows = results.CheckTable()
	return q.out.write(app.output, nil, header, rows)
}
