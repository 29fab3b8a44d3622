// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simbuild

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/simkubelet"
)

// Steady is an environment variable for every suite. With one processor, goroutines that become ready at one virtual time run
// in the order in which they became ready, so that two runs of a scenario are equal.
const Steady = "GOMAXPROCS=1"

// Run runs a suite from Build or Compile: the scenarios that c names, on the tree that the suite was compiled with. Histories,
// the suite's log and its reports go to c.Artifacts, which must exist. c.Arm selects the expectations of the catalogue for the
// verdicts; for a tree that is neither arm (the first patches of a series, a mutant) it is the arm to compare with.
//
// The verdicts are in found. err means that the suite left no results, failed that it left some but did not pass: a verdict is
// not the expected one, or a test of the suite itself failed.
func Run(ctx context.Context, suite string, c simkubelet.Config) (found result.Results, failed, err error) {
	results := filepath.Join(c.Artifacts, c.File("results", "json"))
	if err := os.Remove(results); err != nil && !os.IsNotExist(err) {
		return found, nil, err
	}
	defer os.Remove(results) // it is part of the merged results
	config := filepath.Join(c.Artifacts, c.File("suite", "json"))
	if err := c.Write(config); err != nil {
		return found, nil, err
	}
	log := filepath.Join(c.Artifacts, c.File("suite", "log"))
	file, err := os.Create(log)
	if err != nil {
		return found, nil, err
	}
	defer file.Close()
	cmd := exec.CommandContext(ctx, suite, "-test.timeout=0")
	cmd.Dir = c.Artifacts
	cmd.Env = append(os.Environ(), simkubelet.ConfigVar+"="+config, Steady)
	cmd.Stdout, cmd.Stderr = file, file
	if failed = cmd.Run(); failed != nil {
		failed = fmt.Errorf("the suite of %s did not pass (%w); see %s", c.Arm, failed, log)
	}
	if found, err = result.Read(results); err != nil {
		if ctx.Err() != nil {
			_ = os.Remove(config)
			return found, nil, context.Cause(ctx)
		}
		// A suite that finds the disk full cannot even say so in its log.
		return found, nil, errors.Join(fmt.Errorf("the suite of %s left no results; see %s", c.Arm, log), failed, kubetree.DiskFull(c.Artifacts))
	}
	return found, failed, nil
}
