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
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/docker"
	"github.com/kgrace/kgrace/internal/imagefile"
	"github.com/kgrace/kgrace/internal/kindcluster"
	"github.com/kgrace/kgrace/internal/kindnode"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/upstreame2e"
	"github.com/kgrace/kgrace/internal/verdict"
)

// upstreamE2E holds the flags of `kgrace upstream-e2e`.
type upstreamE2E struct {
	minor, only, arm, artifacts string
	images                      map[verdict.Arm]*string
	processes                   int
	timeout                     time.Duration
	oneByOne, list, noSerial    bool
	out                         outputFlag
	// derived from the flags
	app      *app
	r        *kubetree.Repo
	arms     []verdict.Arm
	programs map[string]string
	archive  string
}

func newUpstreamE2ECommand(app *app) *cobra.Command {
	q := &upstreamE2E{app: app, out: newOutputFlag(), images: map[verdict.Arm]*string{}}
	cmd := &cobra.Command{
		Use:   "upstream-e2e [text]",
		Short: "Run upstream's e2e specs about pod termination on kind clusters of both arms",
		Long: `Run Kubernetes' own end-to-end specs about pod termination on a kind cluster of each arm: hooks, grace periods, deletion,
eviction, taints, preemption, what controllers see. internal/upstreame2e/specs.yaml lists them and those that are not run, each
with the reason. With text, only specs whose names contain it run.

e2e.test is the release's own; the node images are given, or built if the engine does not have them. The images that specs need
are built from static programs; those that are not supplied are listed. Needs Docker and Debian's
busybox-static. ` + upstreame2e.ResultsFile + `, JUnit and the suites' logs go to $` + ArtifactsVar + ` (default: artifacts in the output folder).

Verdicts: kept (passes on both), fixed (fails on stock, passes on fixed), regressed (passes on stock, fails on fixed: red), alike (fails on both), invalid.

Exit codes:
  0  every spec passes on fixed
  1  red: a spec passes on stock and fails on fixed
  2  the command line is wrong
  3  invalid: nothing is red, but a spec fails on both arms, or could not be run`,
		Example: "  kgrace upstream-e2e\n  kgrace upstream-e2e --list\n  kgrace upstream-e2e 'Lifecycle Sleep Hook' -o json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				q.only = args[0]
			}
			if err := q.resolve(); err != nil {
				return usage(err)
			}
			return q.carryOut(cmd.Context())
		},
	}
	addMinorFlag(cmd, &q.minor)
	addArmFlag(cmd, &q.arm)
	f := cmd.Flags()
	for _, arm := range verdict.Arms() {
		q.images[arm] = f.String("image-"+string(arm), "", fmt.Sprintf("node image of the %s arm (default: built)", arm))
	}
	f.IntVar(&q.processes, "processes", 6, "number of concurrent e2e.test processes per cluster; they mostly wait")
	f.DurationVar(&q.timeout, "timeout", 40*time.Minute, "time limit of a suite; specs that it cuts short are invalid")
	f.BoolVar(&q.oneByOne, "one-by-one", false, "run one arm after the other, for small machines")
	f.BoolVar(&q.noSerial, "no-serial", false, "leave out specs that need a cluster for themselves, which take most of the time")
	f.BoolVar(&q.list, "list", false, "list which specs are run and which are not, by parts of their names, and build and run nothing")
	f.StringVar(&q.artifacts, "artifacts", os.Getenv(ArtifactsVar), "folder for results and logs")
	f.VarP(&q.out, "output", "o", "output format")
	return cmd
}

func (q *upstreamE2E) resolve() (err error) {
	if q.arms, err = scenarioArms(q.arm); err != nil {
		return err
	}
	if q.processes < 1 {
		return errors.New("--processes must be at least 1")
	}
	if q.list && q.noSerial {
		return errors.New("--list is of specs.yaml, which does not tell serial specs apart; it goes without --no-serial")
	}
	return nil
}

func (q *upstreamE2E) carryOut(ctx context.Context) (err error) {
	if q.r, err = q.app.repo(); err != nil {
		return err
	}
	pins, err := q.r.Versions.Minor(q.minor)
	if err != nil {
		return usage(err)
	}
	if q.minor == "" {
		q.minor = q.r.Versions.Default
	}
	if q.artifacts == "" {
		q.artifacts = filepath.Join(q.r.Output, "artifacts")
	}
	if q.artifacts, err = filepath.Abs(q.artifacts); err != nil {
		return err
	}
	selection, err := upstreame2e.Load()
	if err != nil {
		return err
	}
	if q.list {
		return q.printList(selection.Listed(q.only))
	}
	// Building takes minutes on a fresh machine, so check first that the clusters can start.
	if err := q.check(ctx); err != nil {
		return err
	}
	if err := q.build(ctx); err != nil {
		return err
	}
	all, err := upstreame2e.List(ctx, q.programs["e2e.test"])
	if err != nil {
		return err
	}
	run, not, err := selection.Choose(q.minor, all, q.only)
	if err != nil {
		return err
	}
	if q.noSerial {
		run, not = parallelOnly(run, not)
	}
	results := upstreame2e.Results{Minor: q.minor, Kubernetes: pins.Kubernetes, Arms: q.arms, Not: not,
		NodeImages: map[verdict.Arm]string{}, Kubelets: map[verdict.Arm]string{}}
	if results.Images, err = q.supply(ctx, selection); err != nil {
		return err
	}
	begin := time.Now()
	if err := q.onArms(ctx, run, &results); err != nil {
		return err
	}
	results.Seconds = time.Since(begin).Seconds()
	if err := results.Write(q.artifacts); err != nil {
		return err
	}
	return q.finish(results)
}

// parallelOnly moves the specs that need a cluster for themselves to those that are not run.
func parallelOnly(run, not []upstreame2e.Spec) (parallel, left []upstreame2e.Spec) {
	left = not
	for _, s := range run {
		if s.Serial {
			s.Why = "left out by --no-serial; covers: " + s.Why
			left = append(left, s)
		} else {
			parallel = append(parallel, s)
		}
	}
	return parallel, left
}

// check reports what the machine lacks.
func (q *upstreamE2E) check(ctx context.Context) error {
	_, engine := docker.Find(ctx)
	_, _, busybox := imagefile.FindBusybox(ctx)
	return errors.Join(engine, busybox)
}

// build builds the programs to run and those for images.
func (q *upstreamE2E) build(ctx context.Context) error {
	built, err := q.r.BuildAll(ctx, q.minor, []verdict.Arm{verdict.Stock}, []string{"e2e.test", "agnhost", "kubectl"})
	if err != nil {
		return err
	}
	q.programs = map[string]string{}
	for _, b := range built {
		q.programs[b.Program] = b.Path
	}
	for name, pkg := range map[string]string{"fetch": "./cmd/fetch", "actor": "./cmd/actor"} {
		path := filepath.Join(q.r.Output, "bin", name+"-static")
		if _, err := tool.Go(ctx, q.r.Root, q.r.Versions.Minors[q.r.Versions.Default].Go, nil, "build", "-ldflags", "-s -w -buildid=", "-o", path, pkg); err != nil {
			return err
		}
		q.programs[name] = path
	}
	return nil
}

// supply builds the images that specs ask for.
func (q *upstreamE2E) supply(ctx context.Context, selection upstreame2e.Selection) ([]upstreame2e.Image, error) {
	busybox, applets, err := imagefile.FindBusybox(ctx)
	if err != nil {
		return nil, err
	}
	names, err := upstreame2e.ListImages(ctx, q.programs["e2e.test"])
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(q.r.Output, "upstream-e2e")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	q.archive = filepath.Join(dir, "images.tar")
	return selection.WriteImages(q.archive, names, imagefile.Tools{Agnhost: q.programs["agnhost"], Busybox: busybox,
		Applets: applets, Fetch: q.programs["fetch"], Actor: q.programs["actor"],
		Certs: filepath.Join(q.r.TreeDir(q.minor, verdict.Stock), "test", "images", "agnhost", "porter")})
}

// onArms runs the specs on every arm and fills in the results.
func (q *upstreamE2E) onArms(ctx context.Context, run []upstreame2e.Spec, results *upstreame2e.Results) error {
	for _, arm := range q.arms {
		image, err := q.nodeImage(ctx, arm)
		if err != nil {
			return err
		}
		results.NodeImages[arm] = image
	}
	on := map[verdict.Arm]map[string]upstreame2e.Outcome{}
	var mu sync.Mutex
	var errs []error
	one := func(arm verdict.Arm) {
		found, kubelet, asked, err := q.onArm(ctx, arm, results.NodeImages[arm], run)
		mu.Lock()
		defer mu.Unlock()
		on[arm], results.Kubelets[arm] = found, kubelet
		if asked != nil {
			results.Images = asked.Stop(results.Images)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", arm, err))
		}
	}
	var wait sync.WaitGroup
	for _, arm := range q.arms {
		if q.oneByOne {
			one(arm)
		} else {
			wait.Go(func() { one(arm) })
		}
	}
	wait.Wait()
	results.Specs = upstreame2e.Compare(run, on)
	if len(q.arms) > 1 && results.Kubelets[verdict.Stock] == results.Kubelets[verdict.Fixed] && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("both clusters run kubelet %s: there is nothing to compare", results.Kubelets[verdict.Stock]))
	}
	return errors.Join(errs...)
}

// nodeImage returns the image given for the arm, or the arm's own, built if the engine does not have it.
func (q *upstreamE2E) nodeImage(ctx context.Context, arm verdict.Arm) (string, error) {
	if name := *q.images[arm]; name != "" {
		return name, nil
	}
	built, err := kindnode.Build(ctx, kindnode.Options{Repo: q.r, Minor: q.minor, Arm: arm, From: kindnode.FromModules, Progress: q.app.errs})
	if err != nil {
		return "", err
	}
	return built.Image, nil
}

// onArm brings a cluster up, loads the images, runs the specs and deletes the cluster.
func (q *upstreamE2E) onArm(ctx context.Context, arm verdict.Arm, image string, run []upstreame2e.Spec) (found map[string]upstreame2e.Outcome,
	kubelet string, asked *upstreame2e.Asked, err error) {
	dir := filepath.Join(q.r.Output, "upstream-e2e")
	logs := filepath.Join(q.artifacts, "upstream-e2e")
	c, err := kindcluster.UpPlain(ctx, "kgrace-upstream-"+string(arm), image, dir, q.app.errs)
	if err != nil {
		return nil, "", nil, err
	}
	defer func() {
		if err != nil && ctx.Err() == nil {
			err = errors.Join(err, c.Export(filepath.Join(logs, string(arm)+"-nodes")))
		}
		err = errors.Join(err, c.Close())
	}()
	if kubelet, err = upstreame2e.Kubelet(ctx, c.Kubeconfig()); err != nil {
		return nil, "", nil, err
	}
	if err := c.Load(q.archive); err != nil {
		return nil, kubelet, nil, err
	}
	if asked, err = upstreame2e.Watch(ctx, c.Kubeconfig()); err != nil {
		return nil, kubelet, nil, err
	}
	found, err = upstreame2e.Runner{Binary: q.programs["e2e.test"], Kubectl: q.programs["kubectl"], Kubeconfig: c.Kubeconfig(), Arm: arm,
		Processes: q.processes, Timeout: q.timeout, Artifacts: logs, Progress: q.app.errs}.Run(ctx, run)
	if err == nil && slices.ContainsFunc(slices.Collect(maps.Values(found)), func(o upstreame2e.Outcome) bool { return o.State != "passed" }) {
		err = c.Export(filepath.Join(logs, string(arm)+"-nodes"))
	}
	return found, kubelet, asked, err
}

func (q *upstreamE2E) printList(run, not []upstreame2e.Spec) error {
	rows := [][]string{}
	for _, s := range run {
		rows = append(rows, []string{"run", s.Text, s.Why})
	}
	for _, s := range not {
		rows = append(rows, []string{"not run", s.Text, s.Why})
	}
	return q.out.write(q.app.output, map[string]any{"run": run, "not": not}, []string{"", "SPEC", "WHY"}, rows)
}

// finish prints the results and turns them into the exit code.
func (q *upstreamE2E) finish(results upstreame2e.Results) error {
	if q.out == "json" {
		if err := q.out.write(q.app.output, results, nil, nil); err != nil {
			return err
		}
	} else if err := results.Table(q.app.output); err != nil {
		return err
	}
	fmt.Fprintf(q.app.errs, "upstream-e2e: reports in %s\n", q.artifacts)
	if reds := results.Red(); len(reds) > 0 {
		return red(fmt.Errorf("red: pass on stock and fail on fixed: %s", strings.Join(reds, "; ")))
	}
	if unsaid := results.Unsaid(); len(unsaid) > 0 {
		return fmt.Errorf("invalid: no verdict on the arms: %s", strings.Join(unsaid, "; "))
	}
	return nil
}
