// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package e2enode

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// downTimeout bounds taking the node down, which continues when the run is interrupted.
const downTimeout = time.Minute

// suite is a run of the suite on one arm.
type suite struct {
	Options
	arm verdict.Arm
	// bin are the programs of the node, including both CNI plugins; binary and ginkgo run inside it.
	bin            map[string]string
	binary, ginkgo string
	// images is the file that writeImages wrote.
	images string
	// dir is the node's directory, artifacts the directory for the suite's log and report.
	dir, artifacts string
	specs          selection
}

func (s suite) logf(format string, args ...any) {
	s.Options.logf("%-5s "+format, append([]any{s.arm}, args...)...)
}

// Names of the files that a run leaves in Artifacts.
const (
	logFile    = "suite.log"
	reportFile = "ginkgo.json"
	specFile   = "system-spec.yaml"
)

// systemSpec is what the suite requires of the machine: nothing, because the node is already up.
const systemSpec = "os: Linux\nkernelSpec:\n  versions: ['.*']\n"

// run brings a node up, runs the suite in it and takes it down. It returns the outcomes of the specs; an error means that
// they are unknown, not that a spec failed.
func (s suite) run(ctx context.Context) (outcomes []Outcome, err error) {
	if err := os.MkdirAll(s.artifacts, 0o755); err != nil {
		return nil, err
	}
	for _, old := range []string{logFile, reportFile} {
		if err := os.RemoveAll(filepath.Join(s.artifacts, old)); err != nil {
			return nil, err
		}
	}
	token := rand.Text()
	s.logf("bringing the node up")
	node, err := localnode.Up(ctx, localnode.Config{Dir: s.dir, Name: "e2e-node-" + string(s.arm), Bin: maps.Clone(s.bin), Images: []string{s.images},
		Token: token, ParentDeath: true})
	if err != nil {
		return nil, err
	}
	defer func() {
		down, cancel := context.WithTimeout(context.WithoutCancel(ctx), downTimeout)
		defer cancel()
		if e := node.Down(down); e != nil {
			err = errors.Join(err, fmt.Errorf("%s: taking the node down: %w", s.arm, e))
		}
	}()
	if err := untaint(ctx, node.RESTConfig(), node.NodeName()); err != nil {
		return nil, err
	}
	stop, err := collectNamespaces(ctx, node.RESTConfig())
	if err != nil {
		return nil, err
	}
	defer stop()

	work := filepath.Join(node.Dir(), "suite")
	if err := s.lay(work); err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	failed := s.follow(ctx, node, localnode.Program{Name: "ginkgo", Argv: s.command(node, work, token), Log: filepath.Join(work, logFile)})
	for _, name := range []string{logFile, reportFile} {
		if e := tool.CopyFile(filepath.Join(s.artifacts, name), filepath.Join(work, name)); e != nil && !errors.Is(e, os.ErrNotExist) {
			return nil, e
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := node.Err(); err != nil {
		return nil, fmt.Errorf("%s: the node was lost: %w", s.arm, err)
	}
	outcomes, err = readReport(filepath.Join(s.artifacts, reportFile))
	if err != nil {
		return nil, fmt.Errorf("%s: %w; the log is %s", s.arm, errors.Join(err, failed), filepath.Join(s.artifacts, logFile))
	}
	return outcomes, nil
}

// lay creates the suite's working directory; the suite writes beside its binary.
func (s suite) lay(work string) error {
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	for from, to := range map[string]string{s.binary: "e2e_node.test", s.ginkgo: "ginkgo"} {
		to = filepath.Join(work, to)
		if os.Link(from, to) == nil {
			continue
		}
		// The files are on different file systems.
		if err := tool.CopyFile(to, from); err != nil {
			return err
		}
		if err := os.Chmod(to, 0o755); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(work, specFile), []byte(systemSpec), 0o644)
}

// command returns the command line to run inside the node.
func (s suite) command(node *localnode.Node, work, token string) []string {
	argv := []string{
		filepath.Join(work, "ginkgo"), "run", fmt.Sprintf("--procs=%d", s.Procs), "--no-color", "-v", "--silence-skips",
		"--timeout=" + s.Timeout.String(), "--output-dir=" + work, "--json-report=" + reportFile,
	}
	focus, skip := s.specs.patterns()
	for _, pattern := range focus {
		argv = append(argv, "--focus="+pattern)
	}
	for _, pattern := range skip {
		argv = append(argv, "--skip="+pattern)
	}
	return append(argv, filepath.Join(work, "e2e_node.test"), "--",
		"--start-services=false", "--stop-services=false", "--prepull-images=false",
		"--host="+node.InsideURL(), "--bearer-token="+token, "--node-name="+node.NodeName(),
		"--container-runtime-endpoint=unix://"+node.RuntimeEndpoint(),
		"--system-spec-file="+filepath.Join(work, specFile), "--report-dir="+filepath.Join(work, "report"))
}

// follow runs the program to its end and logs its progress.
func (s suite) follow(ctx context.Context, node *localnode.Node, p localnode.Program) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.Timeout+time.Minute, fmt.Errorf("the suite did not end within %s", s.Timeout+time.Minute))
	defer cancel()
	begin := time.Now()
	s.logf("running the suite, %d specs at a time", s.Procs)
	stop := tool.Heartbeat(begin, func(running time.Duration) {
		passed, failed := countOf(p.Log)
		s.logf("%d specs passed, %d failed after %s", passed, failed, running)
	})
	err := node.Run(ctx, p)
	stop()
	s.logf("the suite ended after %s", time.Since(begin).Round(time.Second))
	return err
}

// countOf counts the finished specs in the suite's log.
func countOf(log string) (passed, failed int) {
	data, err := os.ReadFile(log)
	if err != nil {
		return 0, 0
	}
	for line := range bytes.Lines(data) {
		switch {
		case bytes.HasPrefix(line, []byte("• [FAILED]")), bytes.HasPrefix(line, []byte("• [PANICKED]")), bytes.HasPrefix(line, []byte("• [TIMEDOUT]")):
			failed++
		case bytes.HasPrefix(line, []byte("• [")):
			passed++
		}
	}
	return passed, failed
}
