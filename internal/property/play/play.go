// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package play plays random scenarios (package property) on compiled suites: it divides a run among processes of the suite, merges
// what they found, and compares two arms, scenario by scenario. The suite plays and judges; nothing here is simulated.
package play

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/shard"
	"github.com/kgrace/kgrace/internal/simbuild"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Run says how a run is divided: the part of it that is played here, and the number of concurrent processes per arm.
type Run struct {
	Part      shard.Part
	Processes int
	// Enough ends the comparison of unhurried scenarios after so many that differ; 0 compares all.
	Enough int
	// Progress receives a line twice a minute; nil discards them.
	Progress io.Writer
}

// Requests plays random scenarios with requests on the suite of c.Arm.
func (r Run) Requests(ctx context.Context, suite string, c property.Config) (property.Results, error) {
	c.Kind = property.Requests
	progress := tool.Progress{To: r.Progress, What: fmt.Sprintf("properties: %s: %s", c.Kind, c.Arm)}
	defer tool.Heartbeat(time.Now(), func(running time.Duration) { progress.Say("running for %s", running) })()
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
		// The kubelets' directories are many, small and short-lived.
		cmd.Env = append(cmd.Env, "TMPDIR="+memory)
	}
	return cmd
}

// memory is a file system in memory on every Linux.
const memory = "/dev/shm"

// suiteStream is a running suite and the stream of the scenarios that it has played.
type suiteStream struct {
	cmd    *exec.Cmd
	arm    verdict.Arm
	config string
	pipe   *os.File
	decode *json.Decoder
	said   bytes.Buffer
	waited bool
}

// startStream starts a suite. name distinguishes it from another one of the same arm.
func startStream(ctx context.Context, suite string, c property.Config, name string) (*suiteStream, error) {
	s := &suiteStream{arm: c.Arm, config: filepath.Join(c.Artifacts, c.File("config-"+name, "json"))}
	if err := c.Write(s.config); err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer write.Close()
	s.pipe, s.decode = read, json.NewDecoder(bufio.NewReaderSize(read, 1<<20))
	s.cmd = suiteCommand(ctx, suite, c, s.config)
	s.cmd.Env = append(s.cmd.Env, simbuild.Steady)
	s.cmd.Stdout, s.cmd.Stderr = &s.said, &s.said
	s.cmd.ExtraFiles = []*os.File{write} // the first of them is property.StreamFD
	if err := s.cmd.Start(); err != nil {
		read.Close()
		return nil, err
	}
	return s, nil
}

// next returns the next scenario.
func (s *suiteStream) next() (property.Played, error) {
	var p property.Played
	err := s.decode.Decode(&p)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.Join(errors.New("it ended too early"), s.wait())
	}
	if err != nil {
		return p, fmt.Errorf("the suite of %s: %w", s.arm, err)
	}
	return p, nil
}

// wait waits until the suite has ended.
func (s *suiteStream) wait() error {
	s.waited = true
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("the suite of %s: %w\n%s", s.arm, err, s.said.Bytes())
	}
	return nil
}

// end kills the suite if it has not ended.
func (s *suiteStream) end() {
	s.pipe.Close()
	if !s.waited {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
	_ = os.Remove(s.config)
}
