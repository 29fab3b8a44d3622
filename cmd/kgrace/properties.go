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
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/property/play"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/shard"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/simbuild"
	"github.com/kgrace/kgrace/internal/simkubelet"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// randomRun is one run of random scenarios.
type randomRun struct {
	minor, runtime, artifacts, out, kind string
	seed, count, shards                  int
	arms                                 []verdict.Arm
	split                                split
}

func newPropertiesCommand(app *app) *cobra.Command {
	q := randomRun{}
	var arm string
	out := newOutputFlag()
	cmd := &cobra.Command{
		Use:   "properties",
		Short: "Run random scenarios on both arms at the sim level",
		Long: `Play random scenarios at the sim level: random pods, hooks, sidecars, faults of the runtime, and sequences of deletes, forced
deletes and evictions. There are two kinds.

requests: requests may shorten the grace period. The catalogue's judges judge every scenario: the fixed arm must hold every rule
in all of them; the stock arm must be caught.

unhurried: nobody asks for an earlier end, whatever else goes wrong. The fixed arm must do the same as stock, call by call and at
the same times, with a short list of exceptions. With --arm the arm is compared with itself, and nothing may differ. If the arms
differ, both play the scenario four more times; if they agree the first time, or stock differs from
itself, it counts as unsteady, and few may be.

Scenario n of a run has seed --seed + n, which is printed with each finding. A seed always gives the same scenario, so runs repeat
each other unless the seed is taken from the clock: --seed 0. For each broken rule one scenario is shrunk; its row for the
catalogue and its history go to $ARTIFACTS/properties. Of kind unhurried all scenarios that differ are listed, and the simplest
one is kept with both histories.

Works for every minor but v1.22, which has no sidecars and only a plain suite.`,
		Example: "  kgrace properties\n  kgrace properties --arm stock --seed 1007 --histories 1\n  kgrace properties --seed 0 --histories 100000",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.out = out.String()
			var err error
			if q.arms, err = armsOf(arm); err != nil {
				return usage(err)
			}
			if q.kind != "" && !slices.Contains(property.Kinds(), property.Kind(q.kind)) {
				return usage(tool.NewUnknown("kind", q.kind, "", property.Kinds()))
			}
			if q.count < 1 || q.shards < 1 {
				return usage(errors.New("--histories and --processes must be at least 1"))
			}
			if err := q.takePart(); err != nil {
				return usage(err)
			}
			if q.seed == 0 {
				q.seed = int(time.Now().UnixNano()/1e6) % 1_000_000_000
			}
			return q.run(cmd.Context(), app)
		},
	}
	flags := cmd.Flags()
	addMinorFlag(cmd, &q.minor)
	flags.StringVar(&arm, "arm", "", "run one arm only: stock or fixed")
	flags.StringVar(&q.kind, "kind", "", "run one kind only: requests or unhurried")
	flags.StringVar(&q.runtime, "runtime", string(sim.Containerd), "runtime to simulate: containerd or crio")
	flags.IntVar(&q.seed, "seed", 1, "seed of the first scenario; 0 takes one from the clock")
	flags.IntVar(&q.count, "histories", 5000, "number of scenarios on each arm")
	flags.IntVar(&q.shards, "processes", 2, "number of processes per arm")
	flags.VarP(&out, "output", "o", "output format")
	q.split.addFlags(cmd)
	return cmd
}

func (q randomRun) run(ctx context.Context, app *app) error {
	r, err := q.place(app)
	if err != nil {
		return err
	}
	if !simbuild.Random(q.minor) {
		return usage(fmt.Errorf("the suite of %s has no random scenarios: they have sidecars, and need newer libraries than its kubelet", q.minor))
	}
	behaviour, err := simkubelet.ParseRuntime(q.runtime)
	if err != nil {
		return usage(err)
	}
	suites, err := q.split.compiled(ctx, r, q.minor, q.arms)
	if err != nil {
		return err
	}
	if err := q.split.begin(q.artifacts, shard.Properties); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(q.artifacts, "properties")); err != nil {
		return err
	}
	fmt.Fprintf(app.errs, "properties: seeds %d to %d\n", q.seed, q.seed+q.count-1)
	var all []property.Results
	var reds []error
	add := func(one property.Results) {
		fmt.Fprintf(app.errs, "properties: %s: %s: %d histories in %.1f s\n", one.Kind, one.Arm, one.Histories, one.Seconds)
		all = append(all, one)
		if err := goodEnough(one); err != nil {
			reds = append(reds, err)
		}
	}
	processes := play.Run{Part: q.split.part, Processes: q.shards, Progress: app.errs}
	c := property.Config{Minor: q.minor, Behaviour: behaviour, Seed: q.seed, Count: q.count, Shrink: true, Artifacts: q.artifacts}
	if q.plays(property.Requests) {
		for _, arm := range q.arms {
			c.Arm = arm
			one, err := processes.Requests(ctx, suites[arm], c)
			if err != nil {
				return err
			}
			add(one)
		}
	}
	if q.plays(property.Unhurried) {
		c.Arm = q.arms[len(q.arms)-1]
		one, err := processes.Unhurried(ctx, q.arms[0], suites, c)
		if err != nil {
			return err
		}
		add(one)
	}
	if err := q.leave(suites, all); err != nil {
		return err
	}
	if err := printProperties(app, outputFlag(q.out), all); err != nil {
		return err
	}
	if len(reds) > 0 {
		return red(errors.Join(reds...))
	}
	return nil
}

// plays reports whether scenarios of a kind were asked for.
func (q randomRun) plays(k property.Kind) bool { return q.kind == "" || property.Kind(q.kind) == k }

// goodEnough is Good, except that stock may hold every rule in a run of few scenarios.
func goodEnough(r property.Results) error {
	if r.Kind != property.Unhurried && r.Histories <= 100 && r.Arm == verdict.Stock && len(r.Unplayed) == 0 {
		return nil
	}
	return r.Good()
}

func printProperties(app *app, out outputFlag, all []property.Results) error {
	if out == "json" {
		return writeJSON(app.output, all)
	}
	w := tabwriter.NewWriter(app.output, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KIND\tARM\tRULE\tHELD\tBROKEN\tNOT APPLYING")
	for _, r := range all {
		for _, rule := range scenario.Rules() {
			if t, ok := r.Rules[rule]; ok {
				fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\n", r.Kind, r.Arm, rule, t.Held, t.Broken, t.Invalid)
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, r := range all {
		fmt.Fprintf(app.output, "\n%s: %s: %d histories, seeds from %d, %.1f s\n", r.Kind, r.Arm, r.Histories, r.Seed, r.Seconds)
		if r.Unsteady > 0 {
			fmt.Fprintf(app.output, "  %d are unsteady: the arms agreed when they played again, or stock differed from itself; they are listed in properties/unhurried\n", r.Unsteady)
		}
		for _, one := range judge.May() {
			if n := r.May[one.Name]; n > 0 {
				fmt.Fprintf(app.output, "  %d like stock up to an allowed difference (%s, %s): %s\n", n, one.Rule, one.Name, one.Why)
			}
		}
		for _, f := range append(r.Broken, r.Unplayed...) {
			fmt.Fprintf(app.output, "  %s seed %d: %s\n      %s\n      %s\n", f.Rule, f.Seed, f.Scenario, f.Why, f.Row)
		}
	}
	return nil
}
