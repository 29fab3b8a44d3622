// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/shard"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/simbuild"
	"github.com/kgrace/kgrace/internal/simkubelet"
	"github.com/kgrace/kgrace/internal/verdict"
)

// simulate runs the sim level. The suite is compiled once for each arm and run once for each runtime. Artifacts of the default
// runtime go to the artifacts directory itself, those of another runtime to a subdirectory of its name.
func (q *regression) simulate(ctx context.Context, app *app, r *kubetree.Repo) error {
	var runtimes []sim.Behaviour
	for _, name := range q.runtimes {
		p, err := simkubelet.ParseRuntime(name)
		if err != nil {
			return usage(err)
		}
		runtimes = append(runtimes, p)
	}
	if len(runtimes) == 0 {
		return usage(errors.New("--runtime names none"))
	}
	suites, err := q.split.compiled(ctx, r, q.minor, q.arms)
	if err != nil {
		return err
	}
	if err := q.split.begin(q.artifacts, shard.Catalogue); err != nil {
		return err
	}
	q.origin = runOrigin(ctx, r, q.minor)
	var reds, errs []error
	all := map[string]result.Results{}
	for _, p := range runtimes {
		if q.split.part.Split() && len(q.scenarios) == 0 {
			continue // other parts have some
		}
		dir := filepath.Join(q.artifacts, shard.Below(p))
		results, failed, err := q.simulateOn(ctx, app, p, dir, suites)
		if err != nil {
			return err
		}
		all[string(p)] = results
		if q.out != "json" {
			fmt.Fprintf(app.output, "Runtime: simulated %s\n\n", p)
		}
		err = q.judged(app, results)
		if results.Status() == verdict.StatusRed {
			reds = append(reds, err)
		} else if err != nil {
			errs = append(errs, err)
		} else if failed != nil {
			// Every verdict is good, but a suite failed, for example in one of its own tests.
			errs = append(errs, failed)
		}
		errs = append(errs, app.htmlReport(dir))
	}
	if q.out == "json" {
		errs = append(errs, writeJSON(app.output, all))
	}
	errs = append(errs, q.leave(suites))
	if len(reds) > 0 {
		return red(errors.Join(append(reds, errs...)...))
	}
	return errors.Join(errs...)
}

// judged is finish without the JSON, which is one object for all runtimes.
func (q *regression) judged(app *app, results result.Results) error {
	if q.out != "json" {
		return q.finish(app, results)
	}
	silent := *app
	silent.output = io.Discard
	return q.finish(&silent, results)
}

// simulateOn runs the suites of all arms concurrently against one runtime and merges their results. failed is the error of
// suites that failed but left results.
func (q *regression) simulateOn(ctx context.Context, app *app, p sim.Behaviour, dir string, suites map[verdict.Arm]string) (results result.Results, failed, err error) {
	begin := time.Now()
	rows := q.scenarios
	results = result.Results{Minor: q.minor, Level: scenario.LevelSim, Arms: q.arms, Scenarios: scenario.IDs(rows), Skipped: result.SkippedIn(q.minor, q.skipped), Origin: q.origin}
	if len(rows) == 0 {
		return results, nil, fmt.Errorf("runtime %s can run none of these scenarios", p)
	}
	if err := renew(dir, result.ResultsFile(scenario.LevelSim), result.PageFile, filepath.Join("histories", string(scenario.LevelSim))); err != nil {
		return results, nil, err
	}
	parts := make([]result.Results, len(q.arms))
	errs, fails := make([]error, len(q.arms)), make([]error, len(q.arms))
	var wait sync.WaitGroup
	for i, arm := range q.arms {
		c := simkubelet.Config{Minor: q.minor, Arm: arm, Behaviour: p, Scenarios: results.Scenarios, Artifacts: dir}
		wait.Go(func() { parts[i], fails[i], errs[i] = simbuild.Run(ctx, suites[arm], c) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return results, nil, err
	}
	for _, s := range rows {
		for i, arm := range q.arms {
			if one, ok := parts[i].Find(s.ID, arm); ok {
				results.Results = append(results.Results, one)
			}
		}
	}
	if err := result.HoldAgainstStock(&results, dir, rows); err != nil {
		return results, nil, err
	}
	results.Seconds = time.Since(begin).Seconds()
	fmt.Fprintf(app.errs, "sim: %d scenarios on %d arms against %s in %.1f s\n", len(rows), len(q.arms), p, results.Seconds)
	return results, errors.Join(fails...), results.Write(filepath.Join(dir, result.ResultsFile(scenario.LevelSim)))
}

// everyMinor stands for all minors.
const everyMinor = "all"

// simulateAll runs the sim level of every minor, the newest first. A failure does not stop the others.
func (q *regression) simulateAll(ctx context.Context, app *app, r *kubetree.Repo) error {
	minors, err := simbuild.Minors(r.Root)
	if err != nil {
		return err
	}
	switch {
	case scenario.Level(q.level) != scenario.LevelSim:
		return usage(fmt.Errorf("--kubernetes %s is for runs at level %s; a node runs one minor", everyMinor, scenario.LevelSim))
	case q.out == "json" || q.split.part.Split():
		return usage(fmt.Errorf("--kubernetes %s prints only tables of whole runs; for JSON or a part name one of %s", everyMinor, strings.Join(minors, ", ")))
	}
	if q.artifacts == "" {
		q.artifacts = filepath.Join(r.Output, "artifacts")
	}
	var reds, errs []error
	ran := 0
	for _, minor := range slices.Backward(minors) {
		one := *q
		one.minor, one.artifacts = minor, filepath.Join(q.artifacts, minor)
		if _, _, err := scenario.PickIn(q.catalogue, minor, scenario.LevelSim, q.ids...); err != nil && len(q.ids) > 0 {
			fmt.Fprintf(app.output, "Kubernetes %s: %v\n\n", minor, err)
			continue
		}
		ran++
		fmt.Fprintf(app.output, "Kubernetes %s\n\n", minor)
		err := one.carryOut(ctx, app)
		if ctx.Err() != nil {
			return err
		}
		fmt.Fprintln(app.output)
		var coded *exitError
		if errors.As(err, &coded) && coded.code == verdict.ExitRed {
			reds = append(reds, fmt.Errorf("%s: %w", minor, err))
		} else if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", minor, err))
		}
	}
	if ran == 0 {
		return fmt.Errorf("no minor can run these scenarios")
	}
	if len(reds) > 0 {
		return red(errors.Join(append(reds, errs...)...))
	}
	return errors.Join(errs...)
}
