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
	"time"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/soak"
	"github.com/kgrace/kgrace/internal/verdict"
)

func newSoakCommand(app *app) *cobra.Command {
	var (
		minor, arm, artifacts string
		o                     soak.Options
	)
	out := newOutputFlag()
	cmd := &cobra.Command{
		Use:   "soak",
		Short: "Let pods come and go on a real node of one arm for a long time, and disturb it",
		Long: `Let pods come and go on one real node (root): with hooks of every kind, sidecars, containers that exit or ignore TERM. Their grace
periods are shortened at random. Every few seconds the node is disturbed: the kubelet killed and started again, or stopped for 5 s;
the runtime or the API server restarted; the kubelet's watch cut; a runtime call that fails, hangs or is slow; the disk under the
kubelet's directory full for 5 s (one in memory, never the machine's).

The catalogue's judges judge every pod. What a disturbance excuses is a list with reasons, in internal/soak; anything else is red. At
the end every pod must have ended, and nothing of one may be left: no process, sandbox, cgroup, mount or directory, no goroutine in the
kubelet, no memory that grows with the pods.

The seed, which is printed, determines the pods and the disturbances, but not when exactly they meet. Ctrl-C takes the node down.
Results, JUnit, and the histories of pods with a broken rule go to $` + ArtifactsVar + ` (default: artifacts in the output directory).

Exit codes:
  0  every rule and every check at the end held
  1  red: a rule or a check was broken
  2  the command line is wrong
  3  invalid: nothing is red, but the run is not complete`,
		Example: "  kgrace soak --for 30m\n  kgrace soak --for 3m --arm stock --seed 7",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if o.Arm, err = verdict.ParseArm(arm); err != nil {
				return usage(err)
			}
			if o.For < time.Minute || o.Lanes < 0 {
				return usage(errors.New("--for must be at least 1m, and --jobs at least 1"))
			}
			if o.Seed == 0 {
				o.Seed = uint64(time.Now().UnixMilli() % 1_000_000_000)
			}
			return carryOutSoak(cmd.Context(), app, minor, artifacts, o, out)
		},
	}
	flags := cmd.Flags()
	addMinorFlag(cmd, &minor)
	flags.StringVar(&arm, "arm", string(verdict.Fixed), "stock or fixed")
	flags.DurationVar(&o.For, "for", 30*time.Minute, "how long pods come and go")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed of the pods and the disturbances; 0 takes one from the clock")
	flags.IntVar(&o.Lanes, "jobs", 0, "pods under way at once (default: depends on the machine)")
	flags.StringVar(&artifacts, "artifacts", os.Getenv(ArtifactsVar), "directory for results and histories")
	flags.VarP(&out, "output", "o", "output format")
	return cmd
}

func carryOutSoak(ctx context.Context, app *app, minor, artifacts string, o soak.Options, out outputFlag) error {
	r, minor, err := app.seriesOf(minor)
	if err != nil {
		return err
	}
	o.Minor = minor
	if o.Artifacts, err = filepath.Abs(cmp.Or(artifacts, filepath.Join(r.Output, "artifacts"))); err != nil {
		return err
	}
	if err := localnode.Check(ctx, localnode.Config{Dir: filepath.Join(nodesDir(r), "soak"), Name: "soak"}); err != nil {
		return err
	}
	// The same programs as for scenarios on nodes.
	bin, err := (&regression{minor: o.Minor, arms: []verdict.Arm{o.Arm}}).build(ctx, r)
	if err != nil {
		return err
	}
	o.Bin, o.Nodes, o.Progress = bin[o.Arm], nodesDir(r), app.errs
	results, err := soak.Run(ctx, o)
	if err != nil {
		return err
	}
	if out == "json" {
		err = writeJSON(app.output, results)
	} else {
		err = results.Table(app.output)
	}
	switch status := results.Status(); {
	case err != nil:
		return err
	case status == verdict.StatusRed:
		return red(fmt.Errorf("red: %d broken rules; see the table", len(results.Broken)))
	case status != verdict.StatusGood:
		return errors.New("invalid: nothing is red, but the run is not complete; see the table")
	}
	return nil
}
