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

// Package play plays random scenarios (package property) on compiled suites: it divides a run among processes of the suite, merges
// what they found, and compares two arms, scenario by scenario. The suite plays and judges; nothing here is simulated.
package play

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/shard"
)

// Run says how a run is divided: the part of it that is played here, and the number of concurrent processes per arm.
type Run struct {
	Part      shard.Part
	Processes int
}

// Requests plays random scenarios with requests on the suite of c.Arm.
func (r Run) Requests(ctx context.Context, suite string, c property.Config) (property.Results, error) {
	c.Kind = property.Requests
	return r.share(r.Processes, c, func(c property.Config) (property.Results, error) { return process(ctx, suite, c) })
}

// share divides the seeds of c among n concurrent calls of one, and merges their results.
func (r Run) share(n int, c property.Config, one func(property.Config) (property.Results, error)) (property.Results, error) {
	parts := make([]property.Results, min(n, r.Part.Of(c.Count)))
	errs := make([]error, len(parts))
	var wait sync.WaitGroup
	for i := range parts {
		mine := c
		mine.Shard, mine.Shards = r.Part.Process(i, len(parts))
		wait.Go(func() { parts[i], errs[i] = one(mine) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return property.Results{}, err
	}
	return property.Merge(parts...), nil
}

// process runs one process to its end.
func process(ctx context.Context, suite string, c property.Config) (property.Results, error) {
	config, results := filepath.Join(c.Artifacts, c.File("config", "json")), filepath.Join(c.Artifacts, c.File("results", "json"))
	if err := c.Write(config); err != nil {
		return property.Results{}, err
	}
	if err := os.Remove(results); err != nil && !os.IsNotExist(err) {
		return property.Results{}, err
	}
	said, failed := suiteCommand(ctx, suite, c, config).CombinedOutput()
	found, err := property.ReadResults(results)
	if err != nil {
		if ctx.Err() != nil {
			_ = os.Remove(config)
			return found, context.Cause(ctx)
		}
		return found, errors.Join(fmt.Errorf("the suite of %s left no results: %w\n%s", c.Arm, errors.Join(err, failed), said), kubetree.DiskFull(c.Artifacts))
	}
	return found, os.Remove(config)
}

// suiteCommand returns the command of a process of a suite.
func suiteCommand(ctx context.Context, suite string, c property.Config, config string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, suite, "-test.timeout=0", "-test.run=^TestProperties$")
	cmd.Dir = c.Artifacts
	cmd.Env = append(os.Environ(), property.ConfigVar+"="+config)
	if info, err := os.Stat(memory); err == nil && info.IsDir() && os.Getenv("TMPDIR") == "" {
		// The kubelets' folders are many, small and short-lived.
		cmd.Env = append(cmd.Env, "TMPDIR="+memory)
	}
	return cmd
}

// memory is a file system in memory on every Linux.
const memory = "/dev/shm"
