// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/shard"
	"github.com/kgrace/kgrace/internal/simbuild"
	"github.com/kgrace/kgrace/internal/verdict"
)

// split holds the flags of the sim level to run a part of a run on a machine that may have neither Go nor a checkout.
type split struct {
	part shard.Part
	// run identifies the run that the part belongs to.
	run string
	// suites is a directory of compiled suites, as in the image of `kgrace shard image`; "" means to build them.
	suites string
	// whole are the scenarios of all parts.
	whole []string
}

func (s *split) addFlags(cmd *cobra.Command) {
	cmd.Flags().Var(&s.part, "shard", "run one part, 0/4 to 3/4 for four; kgrace report merge merges them")
	cmd.Flags().StringVar(&s.run, "run", os.Getenv(shard.RunVar), "what the parts of this run have in common and no other run has, such as the UID of a Job (default: $"+shard.RunVar+")")
	cmd.Flags().StringVar(&s.suites, "suites", "", "run the compiled suites in this directory, without building (sim level)")
}

// check refuses a part that could be mixed with those of another run, which would be merged as if one run had left them.
func (s *split) check() error {
	if s.part.Split() && s.run == "" {
		return fmt.Errorf("--shard needs a --run, or %s: what the parts of this run have in common, such as the UID of a Job or a date", shard.RunVar)
	}
	if err := shard.CheckRun(s.run); err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	return nil
}

// compiled returns the suites of the arms, built first if none were given.
func (s *split) compiled(ctx context.Context, r *kubetree.Repo, minor string, arms []verdict.Arm) (map[verdict.Arm]string, error) {
	suites := map[verdict.Arm]string{}
	if s.suites == "" {
		for _, arm := range arms {
			suite, err := simbuild.Build(ctx, r, minor, arm)
			if err != nil {
				return nil, err
			}
			suites[arm] = suite
		}
		return suites, nil
	}
	made, err := shard.OpenSuites(s.suites)
	if err != nil {
		return nil, err
	}
	for _, arm := range arms {
		if suites[arm] = made.Files[arm]; suites[arm] == "" {
			return nil, fmt.Errorf("%s has no suite of %s; it has %v", s.suites, arm, slices.Sorted(maps.Keys(made.Files)))
		}
	}
	return suites, nil
}

// open returns the minor of the compiled suites and the directory for artifacts, without a checkout.
func (s *split) open(minor, artifacts string) (string, string, error) {
	made, err := shard.OpenSuites(s.suites)
	if err != nil {
		return "", "", err
	}
	if minor != "" && minor != made.Minor {
		return "", "", usage(fmt.Errorf("the suites in %s are of %s, not of %s", s.suites, made.Minor, minor))
	}
	if artifacts == "" {
		return "", "", usage(fmt.Errorf("--suites needs a directory for histories and reports: set %s", ArtifactsVar))
	}
	dir, err := filepath.Abs(artifacts)
	return made.Minor, dir, err
}

// begin removes the manifest, which marks a finished part.
func (s *split) begin(artifacts string, k shard.Kind) error {
	if !s.part.Split() {
		return nil
	}
	return shard.Remove(artifacts, k)
}

// manifest returns the manifest fields that both kinds of runs write.
func (s *split) manifest(k shard.Kind, minor string, arms []verdict.Arm, runtimes []string, suites map[verdict.Arm]string) (m shard.Manifest, err error) {
	m = shard.Manifest{Kind: k, Part: s.part, Run: s.run, Minor: minor, Arms: arms, Runtimes: runtimes, Suites: map[verdict.Arm]string{}}
	for arm, path := range suites {
		if m.Suites[arm], err = shard.Digest(path); err != nil {
			return m, err
		}
	}
	return m, nil
}

// canSplit returns an error if --shard or --suites is set for a run that does not support it.
func (q *regression) canSplit() error {
	if asked := q.split.part.Split() || q.split.suites != ""; asked && (scenario.Level(q.level) != scenario.LevelSim || q.judge != "") {
		return fmt.Errorf("--shard and --suites are for runs at level %s", scenario.LevelSim)
	}
	return q.split.check()
}

// pick selects the scenarios of the minor and, of those, the ones of the part.
func (q *regression) pick() (err error) {
	if q.scenarios, q.skipped, err = scenario.PickIn(q.catalogue, q.minor, scenario.Level(q.level), q.ids...); err != nil {
		return err
	}
	s := &q.split
	s.whole = append(s.whole, scenario.IDs(q.scenarios)...)
	if q.scenarios = shard.Take(s.part, q.scenarios); len(q.scenarios) == 0 {
		return fmt.Errorf("part %s has no scenario: want at most %d parts", s.part, len(s.whole))
	}
	return nil
}

// simulateCompiled runs the sim level without a checkout.
func (q *regression) simulateCompiled(ctx context.Context, app *app) (err error) {
	if q.minor, q.artifacts, err = q.split.open(q.minor, q.artifacts); err != nil {
		return err
	}
	if err := q.pick(); err != nil {
		return usage(err)
	}
	return q.simulate(ctx, app, nil)
}

// leave writes the part's manifest once its results are there, good or bad.
func (q *regression) leave(suites map[verdict.Arm]string) error {
	if !q.split.part.Split() {
		return nil
	}
	m, err := q.split.manifest(shard.Catalogue, q.minor, q.arms, q.runtimes, suites)
	if err != nil {
		return err
	}
	m.Scenarios = q.split.whole
	return m.Write(q.artifacts)
}

// takePart checks the flags of a part.
func (q *randomRun) takePart() error {
	switch {
	case q.split.part.Split() && q.seed == 0:
		return errors.New("--shard needs a --seed other than 0: all parts must have the same seed")
	case q.split.part.Of(q.count) == 0:
		return fmt.Errorf("part %s has no scenario: want at most %d parts", q.split.part, q.count)
	}
	return q.split.check()
}

// place fills in the minor and the directory for artifacts. It returns nil if suites are given, since they need no checkout.
func (q *randomRun) place(app *app) (*kubetree.Repo, error) {
	if q.split.suites != "" {
		var err error
		q.minor, q.artifacts, err = q.split.open(q.minor, os.Getenv(ArtifactsVar))
		return nil, err
	}
	r, minor, err := app.seriesOf(q.minor)
	if err != nil {
		return nil, err
	}
	q.minor = minor
	q.artifacts, err = filepath.Abs(artifacts(r))
	return r, err
}

// leave writes the part's manifest with its findings.
func (q *randomRun) leave(suites map[verdict.Arm]string, found []property.Results) error {
	if !q.split.part.Split() {
		return nil
	}
	m, err := q.split.manifest(shard.Properties, q.minor, q.arms, []string{q.runtime}, suites)
	if err != nil {
		return err
	}
	m.Seed, m.Histories, m.Found = q.seed, q.count, found
	return m.Write(q.artifacts)
}
