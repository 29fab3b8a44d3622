// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package upstreame2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/kgrace/kgrace/internal/junit"
	"github.com/kgrace/kgrace/internal/verdict"
)

// cleanup is the time that upstream's suite has to remove its namespaces after an interrupt.
const cleanup = 45 * time.Second

// logFile is the name of a suite's log, in its directory.
const logFile = "e2e.log"

// suite runs specs on the cluster of one arm.
type suite struct {
	Options
	arm verdict.Arm
	// binary is e2e.test, kubectl the program that some specs call, images the file that writeImages wrote.
	binary, kubectl, images string
	// kubeconfig is the path of the cluster's kubeconfig.
	kubeconfig string
}

// Outcome is the result of a spec on one arm.
type Outcome struct {
	// State is Ginkgo's state: passed, failed, skipped, timedout, panicked, interrupted, aborted; "" if the spec did not run.
	State   string  `json:"state"`
	Seconds float64 `json:"seconds"`
	// Message is the reason why it did not pass.
	Message string `json:"message,omitempty"`
	// Log is the file with the suite's whole output, relative to the artifacts.
	Log string `json:"log,omitempty"`
}

// run runs the specs and returns the outcome of each, by its text. Specs that may not share a cluster run last, one by one.
// An error means that there is no result: a process could not be started, or left no report.
func (s suite) run(ctx context.Context, specs []Spec) (map[string]Outcome, error) {
	parallel, serial := batches(specs, s.Processes)
	progress, stop, err := s.listen(len(specs))
	if err != nil {
		return nil, err
	}
	defer stop()
	// Leftovers of an earlier run must not be counted.
	for i := range max(len(parallel), s.Processes) {
		if err := os.RemoveAll(filepath.Join(s.logs(), fmt.Sprintf("%s-%d", s.arm, i))); err != nil {
			return nil, err
		}
	}
	if err := os.RemoveAll(filepath.Join(s.logs(), string(s.arm)+"-serial")); err != nil {
		return nil, err
	}
	defer s.beat(len(specs))()
	var mu sync.Mutex
	all := map[string]Outcome{}
	run := func(name string, batch []Spec) error {
		found, err := s.process(ctx, name, batch, progress)
		mu.Lock()
		defer mu.Unlock()
		maps.Copy(all, found)
		return err
	}
	errs := make([]error, len(parallel))
	var wait sync.WaitGroup
	for i, batch := range parallel {
		wait.Go(func() { errs[i] = run(fmt.Sprintf("%s-%d", s.arm, i), batch) })
	}
	wait.Wait()
	if len(serial) > 0 && ctx.Err() == nil {
		errs = append(errs, run(fmt.Sprintf("%s-serial", s.arm), serial))
	}
	return all, errors.Join(append(errs, ctx.Err())...)
}

// process runs one e2e.test with some specs.
func (s suite) process(ctx context.Context, name string, batch []Spec, progress string) (map[string]Outcome, error) {
	dir := filepath.Join(s.logs(), name)
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	file, log := filepath.Join(dir, "report.json"), filepath.Join(dir, logFile)
	args := []string{"--provider=local", "--kubeconfig=" + s.kubeconfig, "--kubectl-path=" + s.kubectl, "--report-dir=" + dir,
		"--e2e-output-dir=" + dir, "--progress-report-url=" + progress, "--ginkgo.json-report=" + file, "--ginkgo.no-color", "--ginkgo.silence-skips",
		"--ginkgo.fail-on-empty", "--ginkgo.timeout=" + s.Timeout.String(), "--ginkgo.poll-progress-after=3m"}
	for _, s := range batch {
		args = append(args, "--ginkgo.focus="+focus(s.Text))
	}
	out, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := exec.CommandContext(ctx, s.binary, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, environment(), out, out
	// A separate process group keeps a terminal's Ctrl-C from reaching it a second time, at which Ginkgo skips its cleanup.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = cleanup
	failed := cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	reports, err := junit.ReadGinkgo(file)
	if err != nil {
		return nil, fmt.Errorf("e2e.test on %s left no report (%v); see %s: %w", s.arm, failed, log, err)
	}
	found := outcomes(reports, batch, filepath.Join(filepath.Base(s.logs()), name, logFile))
	// It lists every spec of the release; the few that ran are in the JUnit file and in the results.
	if err := os.Remove(file); err != nil {
		return nil, err
	}
	// A spec that did not pass explains it.
	explains := func(o Outcome) bool { return o.State != "passed" && o.State != "skipped" }
	if failed != nil && !slices.ContainsFunc(slices.Collect(maps.Values(found)), explains) {
		err = fmt.Errorf("e2e.test on %s did not pass (%w), and none of its specs failed; see %s: %s", s.arm, failed, log, suiteFailure(reports))
	}
	return found, err
}

// outcomes selects the batch's specs from the reports.
func outcomes(reports []types.Report, batch []Spec, log string) map[string]Outcome {
	found := map[string]Outcome{}
	for _, report := range reports {
		for _, s := range report.SpecReports {
			text := s.FullText()
			if s.LeafNodeType == types.NodeTypeIt && slices.ContainsFunc(batch, func(one Spec) bool { return one.Text == text }) {
				found[text] = Outcome{State: s.State.String(), Seconds: s.RunTime.Seconds(), Message: s.FailureMessage(), Log: log}
			}
		}
	}
	return found
}

// suiteFailure returns a failure of the suite that belongs to no spec: for example, the cluster was not ready.
func suiteFailure(reports []types.Report) string {
	for _, report := range reports {
		for _, s := range report.SpecReports {
			if s.LeafNodeType != types.NodeTypeIt && s.State.Is(types.SpecStateFailureStates) {
				return s.LeafNodeType.String() + ": " + s.FailureMessage()
			}
		}
	}
	return "no reason given"
}
