// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/kubebuild"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/regress"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/simkubelet"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// ArtifactsVar is the environment variable that names the directory for histories and reports.
const ArtifactsVar = "ARTIFACTS"

// regression holds the flags of `kgrace regress`.
type regression struct {
	minor, arm, level, artifacts, judge string
	list                                bool
	repeat                              int
	runtimes                            []string
	oneByOne                            bool
	jobs                                int
	out                                 outputFlag
	split                               split
	// derived from the flags
	arms      []verdict.Arm
	ids       []string
	scenarios []scenario.Scenario
	skipped   []scenario.Scenario // the minor cannot run these
	catalogue []scenario.Scenario
	origin    *result.Origin // of the run
	foreign   bool           // the nodes come from images that were given
}

func newRegressCommand(app *app) *cobra.Command {
	q := &regression{out: newOutputFlag()}
	cmd := &cobra.Command{
		Use:   "regress [scenario...]",
		Short: "Run the scenarios on both arms, simulated or on real nodes, and print a table",
		Long: `Run the named scenarios, or all of them, on both arms and print one table: scenario, rule, outcome on the stock and the fixed
kubelet, whether the catalogue expects it, and when the last container died. A name may be a pattern, such as 'hook-*'; --list
prints the names.

Level sim, the default, runs each arm's kubelet code against a simulated runtime, in virtual time; it needs Go and nothing else,
and gives one table for each simulated runtime. Level node runs a real node of each arm and needs root.

--kubernetes selects a minor of versions.yaml; at level sim, --kubernetes all runs all of them, each into a directory of its name.
Scenarios that a minor cannot run are listed below its table.

On nodes the number of concurrent scenarios depends on the cores and on how long the first pod takes to start; both arms run side
by side only if there is room. If the kubelet asked for a kill in time and the runtime was late, the verdict is based on the
request, and the table shows how late the runtime was. A deviation that the machine alone may explain is invalid; such a scenario
runs a second time, alone on its node. A red one does not.

Missing programs are built first. Histories, an HTML report, JUnit, JSON and the suite's log go to $` + ArtifactsVar + `
(default: artifacts in the output directory). Kept histories can be judged again, without nodes or root: --judge.

Verdicts: reproduced (stock broke the rule, as expected), fixed, kept; not-reproduced, still-broken, regressed (red); invalid.

Exit codes:
  0  every verdict is the expected one
  1  red: a verdict differs from what the catalogue expects
  2  the command line is wrong
  3  invalid: nothing is red, but something could not be run or judged`,
		Example: "  kgrace regress\n  kgrace regress --list\n  kgrace regress 'hook-*' --arm stock\n  kgrace regress --kubernetes all\n  kgrace regress --level node force-while-terminating --repeat 10\n  kgrace regress --judge _output/artifacts/histories -o json",
		RunE: func(cmd *cobra.Command, ids []string) error {
			if err := q.resolve(ids); err != nil {
				return err
			}
			if err := q.fit(cmd.Flags().Changed); err != nil {
				return usage(err)
			}
			switch {
			case q.list:
				return q.printList(app)
			case q.judge != "":
				return q.rejudge(app)
			case q.repeat > 1:
				return q.runRepeatedly(cmd.Context(), app)
			}
			return q.carryOut(cmd.Context(), app)
		},
	}
	q.addFlags(cmd)
	cmd.Flags().StringVar(&q.level, "level", string(scenario.LevelSim), "level to run at: sim, or node, which needs root")
	cmd.Flags().StringSliceVar(&q.runtimes, "runtime", simkubelet.Runtimes(), "runtimes to simulate at the sim level: containerd, crio")
	cmd.Flags().StringVar(&q.judge, "judge", "", "judge the histories below this directory again, without running anything; the paths in the JSON are relative to it")
	cmd.Flags().BoolVar(&q.list, "list", false, "list the scenarios and run nothing")
	cmd.Flags().IntVar(&q.repeat, "repeat", 1, "number of runs; each has a directory of its own, and the worst decides")
	q.split.addFlags(cmd)
	return cmd
}

// fit refuses flags that would be ignored; given reports whether a flag was given.
func (q *regression) fit(given func(flag string) bool) error {
	for _, flag := range []string{"kubernetes", "arm", "level", "runtime", "artifacts", "jobs", "one-by-one"} {
		if q.judge != "" && given(flag) {
			return fmt.Errorf("--judge takes what it judges from the histories, and writes nothing; it goes without --%s", flag)
		}
	}
	switch {
	case given("runtime") && scenario.Level(q.level) != scenario.LevelSim:
		return fmt.Errorf("--runtime is for level %s: a node of level %s has a real containerd", scenario.LevelSim, q.level)
	case q.repeat < 1:
		return errors.New("--repeat must be at least 1")
	case q.repeat > 1 && (q.judge != "" || q.out == "json" || q.split.part.Split()):
		return errors.New("--repeat prints tables of whole runs; it goes without --judge, --shard and -o json")
	case q.list && (q.judge != "" || q.split.part.Split() || q.split.suites != ""):
		return errors.New("--list goes without --judge, --shard and --suites")
	}
	return nil
}

// addFlags adds the flags of all commands that print the table of scenarios.
func (q *regression) addFlags(cmd *cobra.Command) {
	addMinorFlag(cmd, &q.minor)
	addArmFlag(cmd, &q.arm)
	cmd.Flags().StringVar(&q.artifacts, "artifacts", os.Getenv(ArtifactsVar), "directory for histories and reports")
	cmd.Flags().BoolVar(&q.oneByOne, "one-by-one", false, "run one arm after the other, even if the machine could run both at once")
	cmd.Flags().IntVar(&q.jobs, "jobs", 0, "maximum number of concurrent scenarios on nodes, both arms together (default: depends on the machine)")
	cmd.Flags().VarP(&q.out, "output", "o", "output format")
}

// resolve parses names; an unknown one is a usage error that lists the known ones.
func (q *regression) resolve(ids []string) (err error) {
	if q.catalogue, err = scenario.Catalogue(); err != nil {
		return fmt.Errorf("invalid catalogue:\n%w", err)
	}
	level := scenario.Level(q.level)
	switch mine := []scenario.Level{scenario.LevelSim, scenario.LevelNode}; {
	case level == scenario.LevelKind:
		return usage(fmt.Errorf("level %s is run by `kgrace e2e`; this command knows %s, %s", level, scenario.LevelSim, scenario.LevelNode))
	case !slices.Contains(mine, level):
		return usage(tool.NewUnknown("level", q.level, "", mine))
	}
	for _, name := range q.runtimes {
		if _, err := simkubelet.ParseRuntime(name); err != nil {
			return usage(err)
		}
	}
	if q.arms, err = armsOf(q.arm); err != nil {
		return usage(err)
	}
	if _, err = scenario.Pick(q.catalogue, level, ids...); err != nil {
		return usage(err)
	}
	q.ids = ids
	if err := q.canSplit(); err != nil {
		return usage(err)
	}
	if q.jobs < 0 {
		return usage(errors.New("--jobs must be at least 1"))
	}
	if q.judge != "" && len(ids) > 0 {
		return usage(errors.New("--judge takes the scenarios from the directory's histories; name none"))
	}
	return nil
}

func (q *regression) rejudge(app *app) error {
	minors, err := app.knownMinors()
	if err != nil {
		return err
	}
	results, err := result.Rejudge(q.judge, q.catalogue, minors)
	if err != nil {
		return err
	}
	return q.finish(app, results)
}

// carryOut builds and runs the suite and reads its results.
func (q *regression) carryOut(ctx context.Context, app *app) error {
	if q.split.suites != "" {
		return q.simulateCompiled(ctx, app)
	}
	r, err := app.repo()
	if err != nil {
		return err
	}
	if q.minor == everyMinor {
		return q.simulateAll(ctx, app, r)
	}
	pins, err := q.settle(r)
	if err != nil {
		return err
	}
	if scenario.Level(q.level) == scenario.LevelSim {
		return q.simulate(ctx, app, r)
	}
	// Building takes minutes on a fresh machine, so check first that the nodes can start.
	if err := localnode.Check(ctx, localnode.Config{Dir: filepath.Join(nodesDir(r), "regress"), Name: "regress"}); err != nil {
		return err
	}
	bin, err := q.build(ctx, r)
	if err != nil {
		return err
	}
	return q.runOn(ctx, app, r, pins.Go, suiteOfNodes, regress.Config{Bin: bin, Nodes: nodesDir(r)})
}

// build builds the programs that the nodes run.
func (q *regression) build(ctx context.Context, r *kubetree.Repo) (map[verdict.Arm]map[string]string, error) {
	actor, beside := filepath.Join(r.Output, "bin", "actor"), filepath.Join(r.Output, "bin", "beside")
	if err := localnode.BuildActor(ctx, r.Root, actor); err != nil {
		return nil, err
	}
	if err := localnode.BuildBeside(ctx, r.Root, beside); err != nil {
		return nil, err
	}
	bin := map[verdict.Arm]map[string]string{}
	for _, arm := range q.arms {
		all, err := kubebuild.New(r).Binaries(ctx, q.minor, arm)
		if err != nil {
			return nil, err
		}
		all[localnode.ProgramActor], all[localnode.ProgramBeside] = actor, beside
		bin[arm] = all
	}
	return bin, nil
}

// finish prints the results and turns their status into the exit code.
func (q *regression) finish(app *app, results result.Results) error {
	if q.out == "json" {
		if err := writeJSON(app.output, results); err != nil {
			return err
		}
	} else if err := results.Table(app.output); err != nil {
		return err
	}
	switch results.Status() {
	case verdict.StatusGood:
		return nil
	case verdict.StatusRed:
		return red(errors.New("red: " + strings.Join(q.notGood(results), ", ")))
	default:
		return errors.New("invalid: " + strings.Join(q.notGood(results), ", "))
	}
}

// notGood names the scenarios whose verdicts are not the expected ones.
func (q *regression) notGood(results result.Results) []string {
	names := []string{}
	for _, id := range results.Scenarios {
		for _, arm := range results.Arms {
			if one, ok := results.Find(id, arm); !ok || !one.Good() {
				names = append(names, fmt.Sprintf("%s on %s", id, arm))
			}
		}
	}
	return names
}
