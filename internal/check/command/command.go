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

// Package command is the command line of internal/check. The program kgrace has it as one of its commands; kubectl-kgrace has nothing
// else.
package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // for users of OpenID Connect
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kgrace/kgrace/internal/check"
)

// Exit codes.
const (
	ExitAffected = 1
	ExitUsage    = 2
	ExitUnknown  = 3
)

// Error is an error with an exit code.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// flags are those that are not a check.Config's.
type flags struct {
	kubeconfig, context, as     string
	output, junitFile, jsonFile string
	cleanup, dryRun, quiet      bool
	out, errs                   io.Writer
}

// New makes the command. Results go to out, progress to errs.
func New(out, errs io.Writer) *cobra.Command {
	c := &check.Config{}
	f := &flags{out: out, errs: errs}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Ask a cluster's nodes whether their kubelets have the fault",
		Long: `Start a few small pods on each node, delete them as users do, and print by node whether the kubelet holds to it:

  shortened  delete with the pod's grace period, 3 s later with 6 s: the pod is gone 6 s after the first (fixed), or lives out its
             grace period (affected)
  forced     delete, 3 s later force: its process is dead at once, or lives out its grace period though its object is gone
  zero       force of a running pod: its process is dead at once, or 2 s later
  hook-...   with --hooks: the same with a preStop hook that never ends

The process itself says how long it lives: its log, opened before the delete, goes on after the pod's object is gone. The pods are
restricted as Pod Security means it, ask for 5m of CPU and 8 MiB each, and need sh and sleep in their image; zero cannot be told if
sleep takes whole seconds only.

What is made is removed in the end and on Ctrl-C; a second Ctrl-C ends the program at once, and --cleanup removes what such an end
left, once its time is over. Cluster-admin is not needed: --dry-run prints the roles. With --namespace, pods are made in one that is
there, and no right on namespaces is needed.

Exit codes:
  0  every node that was asked is fixed
  1  a node is affected
  2  the command line is wrong
  3  no node is known to be affected, but of one it could not be told, or the run was not carried out`,
		Example: "  kgrace check\n  kgrace check --node worker-1 --namespace default\n  kgrace check --selector pool=blue --hooks --junit check.xml\n" +
			"  kgrace check --dry-run --namespace ci | kubectl apply --dry-run=client -f -",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, c) },
	}
	set := cmd.Flags()
	set.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig `file` (default: $KUBECONFIG, ~/.kube/config, or the pod's own account)")
	set.StringVar(&f.context, "context", "", "`context` of the kubeconfig")
	set.StringVar(&f.as, "as", "", "`user` to impersonate")
	set.StringVarP(&c.Namespace, "namespace", "n", "", "`namespace` that is there and takes the pods (default: one of its own with a random name)")
	set.StringSliceVar(&c.Nodes, "node", nil, "`name` of a node; may be given more than once (default: all that are Ready and run Linux)")
	set.StringVarP(&c.Selector, "selector", "l", "", "label `selector` of nodes")
	set.BoolVar(&c.All, "all", false, "go on with more than 50 nodes")
	set.BoolVar(&c.Tainted, "tainted", false, "take nodes with taints, too; the pods tolerate them")
	set.BoolVar(&c.HostNetwork, "host-network", false, "give the pods the node's network, on a node that has none for pods; Pod Security then has to allow it")
	set.StringVar(&c.Image, "image", check.DefaultImage, "`image` of the pods: a shell and sleep are needed in it")
	set.Int64Var(&c.User, "user", 65532, "user `ID` of the pods' process; -1 leaves it to the cluster, as OpenShift wants it")
	set.Int64Var(&c.Grace, "grace", check.DefaultGrace, "grace period of the pods in `seconds`")
	set.BoolVar(&c.Hooks, "hooks", false, "do it again with a preStop hook that never ends")
	set.IntVar(&c.Parallel, "parallel", check.DefaultParallel, "`nodes` at a time")
	set.DurationVar(&c.StartTimeout, "start-timeout", time.Minute, "`time` for a node's pods to start, image pull included")
	set.StringVarP(&f.output, "output", "o", "table", "`form` of the result on standard output: table, json or junit")
	set.StringVar(&f.junitFile, "junit", "", "`file` for the result as JUnit, too")
	set.StringVar(&f.jsonFile, "json", "", "`file` for the result as JSON, too")
	set.BoolVarP(&f.quiet, "quiet", "q", false, "no progress")
	set.BoolVar(&f.cleanup, "cleanup", false, "remove what ended runs left behind, and do nothing else")
	set.BoolVar(&f.dryRun, "dry-run", false, "print the roles that are needed and what would be made, and ask no cluster")
	cmd.MarkFlagsMutuallyExclusive("cleanup", "dry-run")
	return cmd
}

func (f *flags) run(cmd *cobra.Command, c *check.Config) error {
	if err := c.Validate(); err != nil {
		return &Error{ExitUsage, err}
	}
	if f.output != "table" && f.output != "json" && f.output != "junit" {
		return &Error{ExitUsage, fmt.Errorf("output %q: want table, json or junit", f.output)}
	}
	if f.dryRun {
		return check.DryRun(*c, f.out)
	}
	if !f.quiet {
		p := newProgress(f.errs)
		defer p.end()
		c.Progress = p
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = f.kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: f.context}
	overrides.AuthInfo.Impersonate = f.as
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	if err != nil {
		return &Error{ExitUnknown, fmt.Errorf("kubeconfig: %w; name one with --kubeconfig", err)}
	}
	config.UserAgent = "kgrace-check"
	if c.Client, err = check.NewClient(config); err != nil {
		return &Error{ExitUnknown, err}
	}
	if f.cleanup {
		if err := check.Cleanup(cmd.Context(), *c); err != nil {
			return &Error{ExitUnknown, err}
		}
		return nil
	}
	report, err := check.Run(cmd.Context(), *c)
	if errors.Is(err, check.ErrTooMany) {
		return &Error{ExitUsage, err}
	}
	if p, ok := c.Progress.(*progress); ok {
		p.end()
	}
	if len(report.Nodes) > 0 {
		err = errors.Join(err, f.write(&report))
	}
	return conclude(report, err)
}

// conclude turns the outcome into an exit code. A node that is affected is so whatever else went wrong.
func conclude(report check.Report, err error) error {
	switch {
	case report.Verdict() == check.Affected:
		return &Error{ExitAffected, errors.Join(errors.New("nodes are affected: they do not hold to a second, shorter delete"), err)}
	case err != nil:
		return &Error{ExitUnknown, err}
	case report.Verdict() == check.Unknown:
		return &Error{ExitUnknown, errors.New("it could not be told of every node")}
	}
	return nil
}

func (f *flags) write(r *check.Report) error {
	forms := map[string]func(io.Writer) error{"table": r.WriteTable, "junit": r.WriteJUnit, "json": func(out io.Writer) error {
		data, err := json.MarshalIndent(r, "", "  ")
		if err == nil {
			_, err = fmt.Fprintf(out, "%s\n", data)
		}
		return err
	}}
	errs := []error{forms[f.output](f.out)}
	for form, file := range map[string]string{"junit": f.junitFile, "json": f.jsonFile} {
		if file == "" {
			continue
		}
		var text bytes.Buffer
		err := forms[form](&text)
		if err == nil {
			err = os.WriteFile(file, text.Bytes(), 0o644)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
