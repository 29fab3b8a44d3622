// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package e2enode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/imagefile"
	"github.com/kgrace/kgrace/internal/intree"
	"github.com/kgrace/kgrace/internal/kubebuild"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Options configure a run of the suite.
type Options struct {
	// Repo is the checkout to build from. Its Progress receives one line per step.
	Repo  *kubetree.Repo
	Minor string
	// Arms are run one after the other.
	Arms []verdict.Arm
	// Own selects the series' own specs, Neighbours upstream's.
	Own, Neighbours bool
	// Focus keeps the specs whose text, without labels, matches this regular expression; "" keeps all.
	Focus string
	// Procs is the number of specs that run concurrently.
	Procs int
	// Timeout bounds the suite on one arm.
	Timeout time.Duration
	// NoVet leaves out go vet on the suite's package.
	NoVet bool
	// Nodes is the directory of the nodes, Artifacts that of logs and reports.
	Nodes, Artifacts string
}

// Errors of Run that are not failures to run.
var (
	// ErrNoSpec means that Options.Focus selects nothing: it matches no spec of the series, and upstream's are not wanted.
	ErrNoSpec = errors.New("no spec of the series matches")
	// ErrVet is a red result: go vet finds a fault in a package of the suite that the series touches.
	ErrVet = errors.New("go vet fails")
)

// Report is what a run found.
type Report struct {
	Results []Result
	// Broken is the reason why results are missing; nil if none are.
	Broken error
}

// Run selects the specs, builds what is missing, runs the suite on a node of each arm, judges the specs, and writes the reports
// to the artifacts. An error means that there is no report.
func Run(ctx context.Context, o Options) (report Report, err error) {
	specs, err := o.choose()
	if err != nil {
		return report, err
	}
	// Building takes minutes on a fresh machine, so check first that the nodes can start.
	if err := localnode.Check(ctx, localnode.Config{Dir: filepath.Join(o.Nodes, "e2e-node"), Name: "e2e-node"}); err != nil {
		return report, err
	}
	for _, old := range []string{ResultsFile, JUnitFile} {
		if err := os.RemoveAll(filepath.Join(o.Artifacts, old)); err != nil {
			return report, err
		}
	}
	suites, err := o.build(ctx, specs)
	if err != nil {
		return report, err
	}
	if !o.NoVet {
		if err := o.vet(ctx); err != nil {
			return report, err
		}
	}
	for _, s := range suites {
		outcomes, err := s.run(ctx)
		if ctx.Err() != nil {
			return report, errors.Join(ctx.Err(), err)
		}
		if err != nil {
			report.Broken = errors.Join(report.Broken, err)
			continue
		}
		report.Results = append(report.Results, judge(s.arm, specs, outcomes)...)
	}
	if specs.neighbours != nil && o.Focus == "" && report.Broken == nil {
		report.Broken = specs.neighbours.checkCount(report.Results)
	}
	if err := write(o.Artifacts, report.Results); err != nil {
		return report, errors.Join(err, report.Broken)
	}
	return report, nil
}

// build builds the programs that the nodes and the suite run, and returns the suite of each arm.
func (o Options) build(ctx context.Context, specs selection) ([]suite, error) {
	r, toolchain := o.Repo, o.Repo.Versions.Minors[o.Minor].Go
	actor, fetch := filepath.Join(r.Output, "bin", "actor"), filepath.Join(r.Output, "bin", "fetch")
	if err := localnode.BuildActor(ctx, r.Root, actor); err != nil {
		return nil, err
	}
	if _, err := tool.Go(ctx, r.Root, toolchain, nil, "build", "-o", fetch, "./cmd/fetch"); err != nil {
		return nil, fmt.Errorf("build the tools of the test images: %w", err)
	}
	plugins := []string{localnode.ProgramPTP, localnode.ProgramHostLocal}
	programs, err := kubebuild.New(r).Binaries(ctx, o.Minor, verdict.Fixed, slices.Concat([]string{"e2e_node.test", "ginkgo", "agnhost"}, plugins)...)
	if err != nil {
		return nil, err
	}
	fixed, err := r.Ensure(ctx, o.Minor, verdict.Fixed, nil)
	if err != nil {
		return nil, err
	}
	names, err := askNames(ctx, fixed.Dir, toolchain)
	if err != nil {
		return nil, err
	}
	tools, err := imagefile.FindTools(ctx, fixed.Dir)
	if err != nil {
		return nil, err
	}
	tools.Agnhost, tools.Fetch, tools.Actor = programs["agnhost"], fetch, actor
	images := filepath.Join(r.Output, "e2e-node-images.tar")
	if err := writeImages(images, names, tools); err != nil {
		return nil, err
	}
	var suites []suite
	for _, arm := range o.Arms {
		bin, err := kubebuild.New(r).Binaries(ctx, o.Minor, arm)
		if err != nil {
			return nil, err
		}
		bin[localnode.ProgramActor] = actor
		for _, name := range plugins {
			bin[name] = programs[name]
		}
		suites = append(suites, suite{Options: o, arm: arm, bin: bin, binary: programs["e2e_node.test"], ginkgo: programs["ginkgo"], images: images,
			dir: filepath.Join(o.Nodes, "e2e-node", string(arm)), artifacts: filepath.Join(o.Artifacts, "e2e-node", string(arm)), specs: specs})
	}
	return suites, nil
}

// vet runs go vet on the packages under test/ that the series touches.
func (o Options) vet(ctx context.Context) error {
	series, err := patchset.Load(o.Repo.SeriesDir(o.Minor))
	if err != nil {
		return err
	}
	fixed, err := o.Repo.Ensure(ctx, o.Minor, verdict.Fixed, nil)
	if err != nil {
		return err
	}
	_, packages := intree.Packages(series)
	args := []string{"vet"}
	for _, pkg := range packages {
		args = append(args, "./"+pkg)
	}
	o.logf("go vet %s", strings.Join(packages, " "))
	unlock, err := o.Repo.LockBuild(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = tool.Go(ctx, fixed.Dir, o.Repo.Versions.Minors[o.Minor].Go, nil, args...)
	var failed *tool.Error
	if errors.As(err, &failed) && ctx.Err() == nil {
		return fmt.Errorf("%w on %s:\n%s", ErrVet, strings.Join(packages, " "), failed.Stderr)
	}
	return err
}

func (o Options) logf(format string, args ...any) {
	if o.Repo.Progress != nil {
		fmt.Fprintf(o.Repo.Progress, "e2e-node: "+format+"\n", args...)
	}
}
