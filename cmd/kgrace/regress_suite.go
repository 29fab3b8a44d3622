// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/regress"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/versions"
)

// suite is the Ginkgo suite of a level with real kubelets.
type suite struct {
	level       scenario.Level
	name        string   // prefix of its configuration and log files
	directories []string // each has a directory of the level's name, which the suite fills
}

var (
	suiteOfNodes    = suite{scenario.LevelNode, "suite", []string{"histories", regress.FirstRuns, "logs"}}
	suiteOfClusters = suite{scenario.LevelKind, "suite-kind", []string{"histories", regress.FirstRuns, "logs"}}
)

// settle fills in what the command line leaves open: the minor, its scenarios and the artifacts directory.
func (q *regression) settle(r *kubetree.Repo) (pins versions.Minor, err error) {
	if pins, err = r.Versions.Minor(q.minor); err != nil {
		return pins, usage(err)
	}
	if q.minor == "" {
		q.minor = r.Versions.Default
	}
	if err := q.pick(); err != nil {
		return pins, usage(err)
	}
	q.artifacts, err = filepath.Abs(cmp.Or(q.artifacts, filepath.Join(r.Output, "artifacts")))
	return pins, err
}

// runOn compiles and runs the suite and prints its results.
func (q *regression) runOn(ctx context.Context, app *app, r *kubetree.Repo, toolchain string, s suite, c regress.Config) error {
	results, failed, err := q.playOn(ctx, app, r, toolchain, s, c)
	if err != nil {
		return err
	}
	err = q.finish(app, results)
	if err == nil && failed != nil {
		// Every verdict is good, but the suite failed: for example, it could not take down a node or delete a cluster.
		err = failed
	}
	return errors.Join(err, app.htmlReport(q.artifacts))
}

// playOn compiles and runs the suite and reads its results. c names the kubelets; prepare adds the flags. failed is the error
// of the suite itself.
func (q *regression) playOn(ctx context.Context, app *app, r *kubetree.Repo, toolchain string, s suite, c regress.Config) (results result.Results, failed, err error) {
	program := filepath.Join(r.Output, "bin", "regression-node.test")
	if _, err := tool.Go(ctx, r.Root, toolchain, nil, "test", "-c", "-o", program, "./test/regression/node"); err != nil {
		return results, nil, fmt.Errorf("build the suite: %w", err)
	}
	config, err := q.prepare(s, c)
	if err != nil {
		return results, nil, err
	}
	if q.origin = runOrigin(ctx, r, q.minor); c.Clusters != nil && q.foreign {
		q.origin.Kubernetes, q.origin.Go, q.origin.Series = "", "", "" // the images were given, and only they know
	}
	failed = runSuite(ctx, program, config, filepath.Join(q.artifacts, s.name+".log"), app)
	file := filepath.Join(q.artifacts, result.ResultsFile(s.level))
	if results, err = result.Read(file); err != nil {
		return results, failed, errors.Join(failed, err)
	}
	results.Skipped, results.Origin = result.SkippedIn(q.minor, q.skipped), q.origin
	return results, failed, results.Write(file)
}

// prepare clears the artifacts of an earlier run and writes the suite's configuration.
func (q *regression) prepare(s suite, c regress.Config) (string, error) {
	junit, ginkgo := regress.Reports(s.level)
	old := []string{result.ResultsFile(s.level), result.PageFile, s.name + ".log", junit, ginkgo}
	for _, directory := range s.directories {
		old = append(old, filepath.Join(directory, string(s.level)))
	}
	if err := renew(q.artifacts, old...); err != nil {
		return "", err
	}
	c.Minor, c.Arms, c.Artifacts, c.OneByOne, c.Jobs, c.Lifeline = q.minor, q.arms, q.artifacts, q.oneByOne, q.jobs, true
	c.Scenarios = scenario.IDs(q.scenarios)
	path := filepath.Join(q.artifacts, s.name+".json")
	return path, c.Write(path)
}

// renew creates the directory and removes old files of an earlier run, which must not be taken for this one's.
func renew(dir string, old ...string) error {
	for _, name := range old {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return os.MkdirAll(dir, 0o755)
}

// runSuite runs the compiled suite: its progress goes to standard error, its own report to the log.
func runSuite(ctx context.Context, suite, config, log string, app *app) error {
	file, err := os.Create(log)
	if err != nil {
		return err
	}
	defer file.Close()
	// The suite cleans up and ends when this pipe closes, that is when kgrace ends, for whatever reason. (A parent-death signal
	// would arrive once for every thread of kgrace, and Ginkgo skips its cleanup at the second.)
	theirs, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ours.Close()
	defer theirs.Close()
	cmd := exec.CommandContext(ctx, suite, "-test.timeout=0")
	cmd.Env = append(os.Environ(), regress.ConfigVar+"="+config)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, file, app.errs
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	// A process group of its own keeps a terminal's Ctrl-C from reaching it a second time.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the suite did not pass (%w); see %s", err, log)
	}
	return nil
}
