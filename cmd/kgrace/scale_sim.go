// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/scale"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/simbuild"
	"github.com/kgrace/kgrace/internal/simkubelet"
)

// simulate plays crowds on all arms and runtimes, one after the other: their wall time is the result.
func (q *scaleRun) simulate(ctx context.Context, app *app) error {
	r, err := q.prepare(app)
	if err != nil {
		return err
	}
	if !simbuild.Random(q.minor) {
		return usage(fmt.Errorf("the suite of %s plays no crowds: it needs newer libraries than its kubelet", q.minor))
	}
	results, failed := q.crowds(ctx, app, r)
	if err := results.Write(q.artifacts); err != nil {
		return errors.Join(failed, err)
	}
	header, rows := results.Table()
	if err := q.out.write(app.output, results, header, rows); err != nil {
		return errors.Join(failed, err)
	}
	missed := results.Missed()
	for _, why := range missed {
		fmt.Fprintf(app.errs, "scale: %s\n", why)
	}
	return outcome(len(results.Crowds)-len(missed), len(missed), 0, failed, "no crowd was played")
}

func (q *scaleRun) crowds(ctx context.Context, app *app, r *kubetree.Repo) (scale.SimResults, error) {
	machine, err := scale.ReadMachine()
	results := scale.NewSimResults(machine)
	if err != nil {
		return results, err
	}
	for _, arm := range q.arms {
		suite, err := simbuild.Build(ctx, r, q.minor, arm)
		if err != nil {
			return results, err
		}
		for _, behaviour := range sim.Behaviours() {
			for _, pods := range q.pods {
				one, err := q.crowd(ctx, suite, simkubelet.CrowdConfig{Minor: q.minor, Arm: arm, Behaviour: behaviour, Pods: pods, Seed: uint64(q.seed)})
				if err != nil {
					return results, err
				}
				fmt.Fprintf(app.errs, "scale: %s with %s's behaviour, %d pods: %.1f s\n", arm, behaviour, pods, one.Wall)
				results.Crowds = append(results.Crowds, one)
			}
		}
	}
	return results, nil
}

func (q *scaleRun) crowd(ctx context.Context, suite string, c simkubelet.CrowdConfig) (r simkubelet.CrowdResult, err error) {
	dir, err := os.MkdirTemp("", "kgrace-crowd-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	c.Results = filepath.Join(dir, "result.json")
	c.Histories = filepath.Join(q.artifacts, "histories", "crowd", string(c.Behaviour), string(c.Arm), fmt.Sprint(c.Pods))
	config := filepath.Join(dir, "config.json")
	if err := simkubelet.WriteCrowd(config, c); err != nil {
		return r, err
	}
	cmd := exec.CommandContext(ctx, suite, "-test.timeout=0", "-test.run=^TestCrowd$")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), simkubelet.CrowdVar+"="+config, simbuild.Steady)
	if said, failed := cmd.CombinedOutput(); failed != nil {
		return r, fmt.Errorf("%d pods on %s with %s's behaviour: %w\n%s", c.Pods, c.Arm, c.Behaviour, failed, lastLines(string(said), 40))
	}
	if err := simkubelet.ReadCrowd(c.Results, &r); err != nil {
		return r, err
	}
	r.Results, r.Histories = "", ""
	return r, nil
}
