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

package e2enode

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
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

// Options configure a run of the suite on one arm.
type Options struct {
	Arm verdict.Arm
	// Bin are the programs of the node, including both CNI plugins; Suite and Ginkgo run inside it.
	Bin           map[string]string
	Suite, Ginkgo string
	// Images is the file that WriteImages wrote.
	Images string
	// Dir is the node's folder, Artifacts the folder for the suite's log and report.
	Dir, Artifacts string
	// Focus and Skip are regular expressions for the full text of specs.
	Focus, Skip []string
	// Procs is the number of specs that run concurrently.
	Procs int
	// Timeout bounds the suite.
	Timeout time.Duration
	// Progress receives one line per step; nil discards them.
	Progress io.Writer
}

func (o Options) logf(format string, args ...any) {
	if o.Progress != nil {
		fmt.Fprintf(o.Progress, "e2e-node: %-5s "+format+"\n", append([]any{o.Arm}, args...)...)
	}
}

// Names of the files that a run leaves in Artifacts.
const (
	logFile    = "suite.log"
	reportFile = "ginkgo.json"
	specFile   = "system-spec.yaml"
)

// systemSpec is what the suite requires of the machine: nothing, because the node is already up.
const systemSpec = "os: Linux\nkernelSpec:\n  versions: ['.*']\n"

// Run brings a node up, runs the suite in it and takes it down. It returns the outcomes of the specs; an error means that
// they are unknown, not that a spec failed.
func Run(ctx context.Context, o Options) (outcomes []Outcome, err error) {
	if err := os.MkdirAll(o.Artifacts, 0o755); err != nil {
		return nil, err
	}
	for _, old := range []string{logFile, reportFile} {
		if err := os.RemoveAll(filepath.Join(o.Artifacts, old)); err != nil {
			return nil, err
		}
	}
	token := rand.Text()
	o.logf("bringing the node up")
	node, err := localnode.Up(ctx, localnode.Config{Dir: o.Dir, Name: "e2e-node-" + string(o.Arm), Bin: maps.Clone(o.Bin), Images: []string{o.Images},
		Token: token, ParentDeath: true})
	if err != nil {
		return nil, err
	}
	defer func() {
		down, cancel := context.WithTimeout(context.WithoutCancel(ctx), downTimeout)
		defer cancel()
		if e := node.Down(down); e != nil {
			err = errors.Join(err, fmt.Errorf("%s: taking the node down: %w", o.Arm, e))
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
	if err := o.lay(work); err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	failed := o.follow(ctx, node, localnode.Program{Name: "ginkgo", Argv: o.command(node, work, token), Log: filepath.Join(work, logFile)})
	for _, name := range []string{logFile, reportFile} {
		if e := tool.CopyFile(filepath.Join(o.Artifacts, name), filepath.Join(work, name)); e != nil && !errors.Is(e, os.ErrNotExist) {
			return nil, e
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := node.Err(); err != nil {
		return nil, fmt.Errorf("%s: the node was lost: %w", o.Arm, err)
	}
	outcomes, err = ReadReport(filepath.Join(o.Artifacts, reportFile))
	if err != nil {
		return nil, fmt.Errorf("%s: %w; the log is %s", o.Arm, errors.Join(err, failed), filepath.Join(o.Artifacts, logFile))
	}
	return outcomes, nil
}

// lay creates the suite's working folder; the suite writes beside its binary.
func (o Options) lay(work string) error {
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	for from, to := range map[string]string{o.Suite: "e2e_node.test", o.Ginkgo: "ginkgo"} {
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
func (o Options) command(node *localnode.Node, work, token string) []string {
	argv := []string{
		filepath.Join(work, "ginkgo"), "run", fmt.Sprintf("--procs=%d", o.Procs), "--no-color", "-v", "--silence-skips",
		"--timeout=" + o.Timeout.String(), "--output-dir=" + work, "--json-report=" + reportFile,
	}
	for _, f := range o.Focus {
		argv = append(argv, "--focus="+f)
	}
	for _, s := range o.Skip {
		argv = append(argv, "--skip="+s)
	}
	return append(argv, filepath.Join(work, "e2e_node.test"), "--",
		"--start-services=false", "--stop-services=false", "--prepull-images=false",
		"--host="+node.InsideURL(), "--bearer-token="+token, "--node-name="+node.NodeName(),
		"--container-runtime-endpoint=unix://"+node.RuntimeEndpoint(),
		"--system-spec-file="+filepath.Join(work, specFile), "--report-dir="+filepath.Join(work, "report"))
}

// follow runs the program to its end and logs its progress.
func (o Options) follow(ctx context.Context, node *localnode.Node, p localnode.Program) error {
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout+time.Minute, fmt.Errorf("the suite did not end within %s", o.Timeout+time.Minute))
	defer cancel()
	begin := time.Now()
	o.logf("running the suite, %d specs at a time", o.Procs)
	stop := tool.Heartbeat(begin, func(running time.Duration) {
		passed, failed := countOf(p.Log)
		o.logf("%d specs passed, %d failed after %s", passed, failed, running)
	})
	err := node.Run(ctx, p)
	stop()
	o.logf("the suite ended after %s", time.Since(begin).Round(time.Second))
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
