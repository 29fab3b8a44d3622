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
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/e2enode"
	"github.com/kgrace/kgrace/internal/imagefile"
	"github.com/kgrace/kgrace/internal/intree"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// nodeSuite holds the flags of `kgrace e2e-node`.
type nodeSuite struct {
	minor, arm, artifacts, specs, focus string
	procs                               int
	timeout                             time.Duration
	noVet                               bool
	out                                 outputFlag
	// derived from the flags
	arms       []verdict.Arm
	own        []intree.Spec
	neighbours *e2enode.Neighbours
}

// The values of --specs.
const (
	specsAll        = "all"
	specsOwn        = "own"
	specsNeighbours = "neighbours"
)

func newE2ENodeCommand(app *app) *cobra.Command {
	q := &nodeSuite{out: newOutputFlag()}
	cmd := &cobra.Command{
		Use:   "e2e-node",
		Short: "Run Kubernetes' own node e2e suite on a real node of each arm",
		Long: `Compile Kubernetes' own node e2e suite (test/e2e_node) from the fixed tree, run it inside a real node of each arm, and print
one table: spec, verdict on the arm, and the reason.

The series' own specs must fail on stock for the reason that patches/<minor>/intree.yaml names, or pass where it calls them
kept, and pass on fixed. Upstream's own specs about pod termination must pass on both; internal/e2enode lists them, and the
reason for each that cannot pass. The specs' images are built from static programs, under the names that the tree uses. go vet
runs on the suite's package first.

Missing programs are built first; the suite takes a few minutes. Needs root and Debian's busybox-static. JUnit, JSON and, for each
arm, the suite's log and report go to $` + ArtifactsVar + ` (default: artifacts in the output folder).

Verdicts and exit codes are those of kgrace regress: 0 as expected, 1 red, 2 usage, 3 something could not be run or judged.`,
		Example: "  kgrace e2e-node\n  kgrace e2e-node --specs own\n  kgrace e2e-node --arm fixed --focus 'when a terminating pod is evicted'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := q.check(); err != nil {
				return usage(err)
			}
			r, err := app.repo()
			if err != nil {
				return err
			}
			if _, err := r.Versions.Minor(q.minor); err != nil {
				return usage(err)
			}
			return q.carryOut(cmd.Context(), app, r)
		},
	}
	addMinorFlag(cmd, &q.minor)
	addArmFlag(cmd, &q.arm)
	cmd.Flags().StringVar(&q.specs, "specs", specsAll, "specs to run: own (of the series), neighbours (upstream's) or all")
	cmd.Flags().StringVar(&q.focus, "focus", "", "run only specs whose text, without labels, matches this regular expression")
	cmd.Flags().IntVar(&q.procs, "procs", 4, "number of specs that run in parallel")
	cmd.Flags().DurationVar(&q.timeout, "timeout", 40*time.Minute, "time limit of the suite on one arm")
	cmd.Flags().BoolVar(&q.noVet, "no-vet", false, "do not run go vet on the suite's package")
	cmd.Flags().StringVar(&q.artifacts, "artifacts", os.Getenv(ArtifactsVar), "folder for logs and reports")
	cmd.Flags().VarP(&q.out, "output", "o", "output format")
	return cmd
}

func (q *nodeSuite) check() (err error) {
	if q.arms, err = armsOf(q.arm); err != nil {
		return err
	}
	if !slices.Contains([]string{specsAll, specsOwn, specsNeighbours}, q.specs) {
		return fmt.Errorf("--specs %s: want %s, %s or %s", q.specs, specsAll, specsOwn, specsNeighbours)
	}
	if _, err := regexp.Compile(q.focus); err != nil {
		return fmt.Errorf("--focus: %w", err)
	}
	if q.procs < 1 || q.timeout <= 0 {
		return errors.New("--procs and --timeout must be above zero")
	}
	return nil
}

// pick finds the specs to run.
func (q *nodeSuite) pick(r *kubetree.Repo) error {
	declared, err := intree.LoadDeclaration(r.SeriesDir(q.minor))
	if err != nil {
		return err
	}
	if len(declared.Specs) == 0 {
		return fmt.Errorf("the series of %s has no node e2e specs (see %s); that of %s has", q.minor,
			filepath.Join(r.SeriesDir(q.minor), intree.DeclaredFile), r.Versions.Default)
	}
	if q.specs != specsNeighbours {
		q.own = declared.Specs
	}
	if q.specs != specsOwn {
		if q.neighbours, err = e2enode.LoadNeighbours(); err != nil {
			return err
		}
	}
	if q.focus == "" {
		return nil
	}
	focus := regexp.MustCompile(q.focus)
	q.own = slices.DeleteFunc(q.own, func(s intree.Spec) bool { return !focus.MatchString(s.Text) })
	if q.neighbours != nil {
		q.neighbours.Narrow(q.focus, focus.MatchString)
	}
	if len(q.own) == 0 && q.neighbours == nil {
		return usage(fmt.Errorf("no spec of the series matches %q", q.focus))
	}
	return nil
}

func (q *nodeSuite) carryOut(ctx context.Context, app *app, r *kubetree.Repo) error {
	if q.minor == "" {
		q.minor = r.Versions.Default
	}
	if err := q.pick(r); err != nil {
		return err
	}
	dir := filepath.Join(nodesDir(r), "e2e-node")
	if err := localnode.Check(ctx, localnode.Config{Dir: dir, Name: "e2e-node"}); err != nil {
		return err
	}
	if q.artifacts == "" {
		q.artifacts = artifacts(r)
	}
	for _, old := range []string{e2enode.ResultsFile, e2enode.JUnitFile} {
		if err := os.RemoveAll(filepath.Join(q.artifacts, old)); err != nil {
			return err
		}
	}
	options, err := q.build(ctx, r)
	if err != nil {
		return err
	}
	if !q.noVet {
		if err := q.vet(ctx, r); err != nil {
			return err
		}
	}
	var results []e2enode.Result
	var broken error
	for _, arm := range q.arms {
		o := options[arm]
		o.Dir = filepath.Join(dir, string(arm))
		o.Artifacts = filepath.Join(q.artifacts, "e2e-node", string(arm))
		outcomes, err := e2enode.Run(ctx, o)
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), err)
		}
		if err != nil {
			broken = errors.Join(broken, err)
			continue
		}
		results = append(results, e2enode.Judge(arm, q.own, q.neighbours, outcomes)...)
	}
	if q.neighbours != nil && q.focus == "" && broken == nil {
		broken = q.neighbours.CheckCount(results)
	}
	return q.finish(app, results, broken)
}

// build builds the programs that the nodes and the suite run.
func (q *nodeSuite) build(ctx context.Context, r *kubetree.Repo) (map[verdict.Arm]e2enode.Options, error) {
	bin := func(name string) string { return filepath.Join(r.Output, "bin", name) }
	if err := localnode.BuildActor(ctx, r.Root, bin("actor")); err != nil {
		return nil, err
	}
	toolchain := r.Versions.Minors[q.minor].Go
	if _, err := tool.Go(ctx, r.Root, toolchain, nil, "build", "-o", bin("fetch"), "./cmd/fetch"); err != nil {
		return nil, fmt.Errorf("build the tools of the test images: %w", err)
	}
	programs := map[string]string{}
	for _, name := range []string{"e2e_node.test", "ginkgo", "agnhost", localnode.ProgramPTP, localnode.ProgramHostLocal} {
		path, err := r.Build(ctx, q.minor, verdict.Fixed, name)
		if err != nil {
			return nil, err
		}
		programs[name] = path
	}
	fixed, err := r.Ensure(ctx, q.minor, verdict.Fixed, nil)
	if err != nil {
		return nil, err
	}
	names, err := e2enode.AskNames(ctx, fixed.Dir, toolchain)
	if err != nil {
		return nil, err
	}
	busybox, applets, err := imagefile.FindBusybox(ctx)
	if err != nil {
		return nil, err
	}
	images := filepath.Join(r.Output, "e2e-node-images.tar")
	if err := e2enode.WriteImages(images, names, imagefile.Tools{Agnhost: programs["agnhost"], Busybox: busybox, Applets: applets, Fetch: bin("fetch"),
		Actor: bin("actor"), Certs: filepath.Join(fixed.Dir, "test", "images", "agnhost", "porter")}); err != nil {
		return nil, err
	}
	options := map[verdict.Arm]e2enode.Options{}
	for _, arm := range q.arms {
		all, err := r.Binaries(ctx, q.minor, arm)
		if err != nil {
			return nil, err
		}
		all[localnode.ProgramActor] = bin("actor")
		for _, name := range []string{localnode.ProgramPTP, localnode.ProgramHostLocal} {
			all[name] = programs[name]
		}
		focus, skip := q.patterns()
		options[arm] = e2enode.Options{Arm: arm, Bin: all, Suite: programs["e2e_node.test"], Ginkgo: programs["ginkgo"], Images: images,
			Focus: focus, Skip: skip, Procs: q.procs, Timeout: q.timeout, Progress: r.Progress}
	}
	return options, nil
}

// patterns returns the Ginkgo focus and skip patterns that select the specs.
func (q *nodeSuite) patterns() (focus, skip []string) {
	for _, s := range q.own {
		focus = append(focus, e2enode.Pattern(s.Text))
	}
	if q.neighbours == nil {
		return focus, nil
	}
	for _, s := range q.neighbours.Skip {
		skip = append(skip, s.Specs)
	}
	return append(focus, q.neighbours.Focus...), skip
}

// vet runs go vet on the packages under test/ that the series touches.
func (q *nodeSuite) vet(ctx context.Context, r *kubetree.Repo) error {
	series, err := patchset.Load(r.SeriesDir(q.minor))
	if err != nil {
		return err
	}
	fixed, err := r.Ensure(ctx, q.minor, verdict.Fixed, nil)
	if err != nil {
		return err
	}
	_, packages := intree.Packages(series)
	args := []string{"vet"}
	for _, pkg := range packages {
		args = append(args, "./"+pkg)
	}
	if r.Progress != nil {
		fmt.Fprintf(r.Progress, "e2e-node: go vet %s\n", strings.Join(packages, " "))
	}
	unlock, err := r.LockBuild(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = tool.Go(ctx, fixed.Dir, r.Versions.Minors[q.minor].Go, nil, args...)
	var failed *tool.Error
	if errors.As(err, &failed) && ctx.Err() == nil {
		return red(fmt.Errorf("go vet fails on %s:\n%s", strings.Join(packages, " "), failed.Stderr))
	}
	return err
}

// finish writes the reports, prints the table and returns the outcome.
func (q *nodeSuite) finish(app *app, results []e2enode.Result, broken error) error {
	if err := e2enode.Write(q.artifacts, results); err != nil {
		return errors.Join(err, broken)
	}
	var rows [][]string
	for _, res := range results {
		whose := "upstream"
		if res.Own {
			whose = "series"
		}
		rows = append(rows, []string{res.Spec, whose, string(res.Arm), string(res.Verdict), fmt.Sprintf("%.1fs", res.Seconds), firstRunes(res.Why, 100)})
		if res.Message != "" {
			fmt.Fprintf(app.errs, "---- %s on %s: %s\n%s\n", res.Spec, res.Arm, res.Verdict, lastLines(res.Message, 40))
		}
	}
	if err := q.out.write(app.output, results, []string{"SPEC", "WHOSE", "ARM", "VERDICT", "TIME", "WHY"}, rows); err != nil {
		return err
	}
	fmt.Fprintf(app.errs, "e2e-node: %s; reports in %s\n", e2enode.Summary(results), q.artifacts)
	good, bad, invalid := e2enode.Counts(results)
	return outcome(good, bad, invalid, broken, "no spec ran")
}
