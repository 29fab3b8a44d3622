// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package upstreame2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/docker"
	"github.com/kgrace/kgrace/internal/imagefile"
	"github.com/kgrace/kgrace/internal/kindcluster"
	"github.com/kgrace/kgrace/internal/kindnode"
	"github.com/kgrace/kgrace/internal/kubebuild"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Options configure a run.
type Options struct {
	// Repo is the checkout to build from. Its Progress receives one line per step and per finished spec.
	Repo  *kubetree.Repo
	Minor string
	Arms  []verdict.Arm
	// Only keeps the specs whose text contains it.
	Only string
	// NodeImages are the arms' node images; missing ones are built.
	NodeImages map[verdict.Arm]string
	// Processes is the number of concurrent e2e.test processes per cluster.
	Processes int
	// Timeout ends a process that hangs. It decides no verdict: specs that it cuts short are invalid.
	Timeout time.Duration
	// OneByOne runs one arm after the other, NoSerial leaves out the specs that need a cluster for themselves.
	OneByOne, NoSerial bool
	// Artifacts is the directory for results and logs, as an absolute path.
	Artifacts string
}

// dir is the directory for kubeconfigs and images, logs that for the files of the suites and nodes.
func (o Options) dir() string  { return filepath.Join(o.Repo.Output, "upstream-e2e") }
func (o Options) logs() string { return filepath.Join(o.Artifacts, "upstream-e2e") }

// Run builds what is missing, runs the specs on a cluster of each arm, compares the outcomes and writes the results to the
// artifacts. An error means that there are no results, not that a spec failed.
func Run(ctx context.Context, o Options) (results Results, err error) {
	selection, err := load()
	if err != nil {
		return results, err
	}
	// Building takes minutes on a fresh machine, so check first that the clusters can start.
	_, noEngine := docker.Find(ctx)
	tools, noBusybox := imagefile.FindTools(ctx, o.Repo.TreeDir(o.Minor, verdict.Stock))
	if err := errors.Join(noEngine, noBusybox); err != nil {
		return results, err
	}
	e2e, err := o.build(ctx, &tools)
	if err != nil {
		return results, err
	}
	all, err := list(ctx, e2e.binary)
	if err != nil {
		return results, err
	}
	run, not, err := selection.choose(o.Minor, all, o.Only)
	if err != nil {
		return results, err
	}
	if o.NoSerial {
		run, not = parallelOnly(run, not)
	}
	names, err := listImages(ctx, e2e.binary)
	if err != nil {
		return results, err
	}
	results = Results{Minor: o.Minor, Kubernetes: o.Repo.Versions.Minors[o.Minor].Kubernetes, Arms: o.Arms, Not: not, Kubelets: map[verdict.Arm]string{}}
	if results.Images, err = selection.writeImages(e2e.images, names, tools); err != nil {
		return results, err
	}
	begin := time.Now()
	if err := o.onArms(ctx, e2e, run, &results); err != nil {
		return results, err
	}
	results.Seconds = time.Since(begin).Seconds()
	return results, results.write(o.Artifacts)
}

// build builds the programs to run and those for images. The suite that it returns has no cluster.
func (o Options) build(ctx context.Context, tools *imagefile.Tools) (s suite, err error) {
	bin, err := kubebuild.New(o.Repo).Binaries(ctx, o.Minor, verdict.Stock, "e2e.test", "agnhost", "kubectl")
	if err != nil {
		return s, err
	}
	tools.Agnhost = bin["agnhost"]
	for pkg, path := range map[string]*string{"fetch": &tools.Fetch, "actor": &tools.Actor} {
		*path = filepath.Join(o.Repo.Output, "bin", pkg+"-static")
		if _, err := tool.Go(ctx, o.Repo.Root, o.Repo.Versions.Minors[o.Repo.Versions.Default].Go, nil,
			"build", "-ldflags", "-s -w -buildid=", "-o", *path, "./cmd/"+pkg); err != nil {
			return s, err
		}
	}
	s = suite{Options: o, binary: bin["e2e.test"], kubectl: bin["kubectl"], images: filepath.Join(o.dir(), "images.tar")}
	return s, os.MkdirAll(o.dir(), 0o755)
}

// onArms runs the specs on every arm and fills in the results.
func (o Options) onArms(ctx context.Context, e2e suite, run []Spec, results *Results) (err error) {
	results.NodeImages, err = kindnode.Images(ctx, kindnode.Options{Repo: o.Repo, Minor: o.Minor, Progress: o.Repo.Progress}, o.Arms, o.NodeImages)
	if err != nil {
		return err
	}
	on := map[verdict.Arm]map[string]Outcome{}
	var mu sync.Mutex
	var errs []error
	one := func(arm verdict.Arm) {
		found, version, counted, err := e2e.onArm(ctx, arm, results.NodeImages[arm], run)
		mu.Lock()
		defer mu.Unlock()
		on[arm], results.Kubelets[arm] = found, version
		if counted != nil {
			results.Images = counted.end(results.Images)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", arm, err))
		}
	}
	var wait sync.WaitGroup
	for _, arm := range o.Arms {
		if o.OneByOne {
			one(arm)
		} else {
			wait.Go(func() { one(arm) })
		}
	}
	wait.Wait()
	results.Specs = Compare(run, on)
	if len(o.Arms) > 1 && results.Kubelets[verdict.Stock] == results.Kubelets[verdict.Fixed] && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("both clusters run kubelet %s: there is nothing to compare", results.Kubelets[verdict.Stock]))
	}
	return errors.Join(errs...)
}

// onArm brings a cluster up, loads the images, runs the specs and deletes the cluster.
func (s suite) onArm(ctx context.Context, arm verdict.Arm, image string, run []Spec) (found map[string]Outcome, version string, counted *asked, err error) {
	c, err := kindcluster.UpPlain(ctx, "kgrace-upstream-"+string(arm), image, s.dir(), s.Repo.Progress)
	if err != nil {
		return nil, "", nil, err
	}
	nodes := filepath.Join(s.logs(), string(arm)+"-nodes")
	defer func() {
		if err != nil && ctx.Err() == nil {
			err = errors.Join(err, c.Export(nodes))
		}
		err = errors.Join(err, c.Close())
	}()
	s.arm, s.kubeconfig = arm, c.Kubeconfig()
	if version, err = kubelet(ctx, s.kubeconfig); err != nil {
		return nil, "", nil, err
	}
	if err := c.Load(s.images); err != nil {
		return nil, version, nil, err
	}
	if counted, err = watch(ctx, s.kubeconfig); err != nil {
		return nil, version, nil, err
	}
	found, err = s.run(ctx, run)
	if err == nil && slices.ContainsFunc(slices.Collect(maps.Values(found)), func(o Outcome) bool { return o.State != "passed" }) {
		err = c.Export(nodes)
	}
	return found, version, counted, err
}
