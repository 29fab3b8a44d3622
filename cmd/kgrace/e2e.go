// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/bare"
	"github.com/kgrace/kgrace/internal/docker"
	"github.com/kgrace/kgrace/internal/kindcluster"
	"github.com/kgrace/kgrace/internal/kindnode"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/regress"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// smoke lists the scenarios of a smoke test: a plain pod, a hook, a controller's pod.
var smoke = []string{"force-while-terminating", "hook-exec-force", "statefulset-force"}

// clusterPrefix is the prefix of this command's cluster names.
const clusterPrefix = "kgrace-e2e"

// endToEnd holds the flags of `kgrace e2e`.
type endToEnd struct {
	regression
	smoke, setup bool
	images       map[verdict.Arm]string
}

func newE2ECommand(app *app) *cobra.Command {
	q := &endToEnd{regression: regression{level: string(scenario.LevelKind), out: newOutputFlag()}}
	cmd := &cobra.Command{
		Use:   "e2e [scenario...]",
		Short: "Run the scenarios on kind clusters, one for each arm, and print one table",
		Long: `Run the named scenarios, or all of the kind level, on a kind cluster for each arm (one control plane, one worker) and print the
table of ` + "`kgrace regress`" + `: scenario, rule, outcome on stock and fixed, when the last container died.

The node images are built from modules, as with ` + "`kgrace image build`" + `, or named by flags; only named ones may have to be pulled.
A Docker engine is needed; --setup installs and starts one if none runs, and takes it down at the end.

Clusters are always deleted at the end. Histories, results-kind.json, JUnit, an HTML report and, if a verdict is not as expected, the
nodes' logs go to $` + ArtifactsVar + ` (default: artifacts in the output directory).

Exit codes:
  0  every verdict is the expected one
  1  red: a verdict differs from what the catalogue expects
  2  the command line is wrong
  3  invalid: nothing is red, but something could not be run or judged`,
		Example: "  kgrace e2e\n  kgrace e2e --smoke --setup\n  kgrace e2e statefulset-force --arm fixed\n  kgrace e2e --image-stock kindest/node:v1.37.2 \\\n    --image-fixed registry.example/kind-node:v1.37.2_grace.2-amd64",
		RunE: func(cmd *cobra.Command, ids []string) error {
			if err := q.resolveE2E(ids); err != nil {
				return err
			}
			return q.carryOutE2E(cmd.Context(), app)
		},
	}
	q.addFlags(cmd)
	q.images = addImageFlags(cmd)
	cmd.Flags().BoolVar(&q.smoke, "smoke", false, "run three scenarios only, as a smoke test")
	cmd.Flags().BoolVar(&q.setup, "setup", false, "install and start a Docker engine if none runs, and take it down afterwards")
	return cmd
}

func (q *endToEnd) resolveE2E(ids []string) (err error) {
	if q.catalogue, err = scenario.Catalogue(); err != nil {
		return fmt.Errorf("invalid catalogue:\n%w", err)
	}
	if q.smoke {
		if len(ids) > 0 {
			return usage(errors.New("--smoke selects the scenarios; name none"))
		}
		ids = smoke
	}
	if q.jobs < 0 {
		return usage(errors.New("--jobs must be at least 1"))
	}
	if q.arms, err = armsOf(q.arm); err != nil {
		return usage(err)
	}
	if _, err = scenario.Pick(q.catalogue, scenario.LevelKind, ids...); err != nil {
		return usage(err)
	}
	q.ids = ids
	return nil
}

func (q *endToEnd) carryOutE2E(ctx context.Context, app *app) (err error) {
	r, err := app.repo()
	if err != nil {
		return err
	}
	pins, err := q.settle(r)
	if err != nil {
		return err
	}
	down, err := q.engine(ctx, app, r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, down()) }()

	clusters := &regress.Clusters{Prefix: clusterPrefix}
	q.foreign = slices.ContainsFunc(q.arms, func(arm verdict.Arm) bool { return q.images[arm] != "" })
	if clusters.Images, err = kindnode.Images(ctx, kindnode.Options{Repo: r, Minor: q.minor, Progress: app.errs}, q.arms, q.images); err != nil {
		return err
	}
	if clusters.Programs, err = kindcluster.Build(ctx, r.Root, pins.Go, filepath.Join(r.Output, "bin")); err != nil {
		return err
	}
	return q.runOn(ctx, app, r, pins.Go, suiteOfClusters, regress.Config{Level: scenario.LevelKind, Clusters: clusters})
}

// engine makes sure that a Docker engine runs. down takes it down if this call started it.
func (q *endToEnd) engine(ctx context.Context, app *app, r *kubetree.Repo) (down func() error, err error) {
	nothing := func() error { return nil }
	_, err = docker.Find(ctx)
	if err == nil || !q.setup || !docker.IsNotHere(err) {
		return nothing, err
	}
	_, state, err := bare.Setup(ctx, bare.Config{Dir: engineDir(r), Root: r.Root, Progress: app.errs})
	if err != nil || state == nil {
		return nothing, err
	}
	return func() error {
		// Even after an interrupt. The clusters are gone; anything else in kgrace's own engine may end with it.
		_, err := bare.Teardown(context.WithoutCancel(ctx), engineDir(r), true, false, app.errs)
		return err
	}, nil
}

// imageFlag is a flag for the node image of an arm.
type imageFlag struct {
	images map[verdict.Arm]string
	arm    verdict.Arm
}

func (f imageFlag) String() string         { return f.images[f.arm] }
func (f imageFlag) Set(image string) error { f.images[f.arm] = image; return nil }
func (f imageFlag) Type() string           { return "string" }

// addImageFlags adds --image-stock and --image-fixed, and returns their values by arm.
func addImageFlags(cmd *cobra.Command) map[verdict.Arm]string {
	images := map[verdict.Arm]string{}
	for _, arm := range verdict.Arms() {
		cmd.Flags().Var(imageFlag{images, arm}, "image-"+string(arm), fmt.Sprintf("node image of the %s arm (default: built)", arm))
	}
	return images
}
