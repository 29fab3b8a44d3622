// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package command is the command line of package check. It is a command of kgrace and the only one of kubectl-kgrace.
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

	"github.com/kgrace/kgrace/cmd/kubectl-kgrace/check"
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

// flags holds the flags that are not in check.Config.
type flags struct {
	kubeconfig, context, as     string
	output, junitFile, jsonFile string
	cleanup, dryRun, quiet      bool
	out, errs                   io.Writer
}

// New returns the command. Results go to out, progress to errs.
func New(out, errs io.Writer) *cobra.Command {
	c := &check.Config{}
	f := &flags{out: out, errs: errs}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check whether a cluster's kubelets have the fault",
		Long: `Start a few small pods on each node, delete them as users do, and print for each node whether its kubelet honours the deletes:

  shortened  delete with the pod's grace period, 3 s later with 6 s: the pod is gone 6 s after the first (fixed), or lives out its
             grace period (affected)
  forced     delete, 3 s later force: its process is dead at once, or lives out its grace period though its object is gone
  zero       force of a running pod: its process is dead at once, or 2 s later
  hook-...   with --hooks: the same with a preStop hook that never ends

The log of a process shows how long it lives: opened before the delete, it continues after the pod's object is gone. The pods meet
Pod Security's restricted level, request 5m of CPU and 8 MiB each, and need sh and sleep in their image; there is no verdict on zero
if sleep takes only whole seconds.

Everything that a run creates is removed at the end and on Ctrl-C. A second Ctrl-C ends the program at once; --cleanup later removes
what that left. Cluster-admin is not needed: --dry-run prints the roles. With --namespace, the pods run in an existing namespace, and
no right on namespaces is needed.

Exit codes:
  0  every checked node is fixed
  1  a node is affected
  2  the command line is wrong
  3  no node is known to be affected, but one has no verdict, or the run failed`,
		Example: "  kgrace check\n  kgrace check --node worker-1 --namespace default\n  kgrace check --selector pool=blue --hooks --junit check.xml\n" +
			"  kgrace check --dry-run --namespace ci | kubectl apply --dry-run=client -f -",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, c) },
	}
	set := cmd.Flags()
	set.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig `file` (default: $KUBECONFIG, ~/.kube/config, or the pod's own account)")
	set.StringVar(&f.context, "context", "", "`context` of the kubeconfig")
	set.StringVar(&f.as, "as", "", "`user` to impersonate")
	set.StringVarP(&c.Namespace, "namespace", "n", "", "existing `namespace` for the pods (default: a new one with a random name)")
	set.StringSliceVar(&c.Nodes, "node", nil, "`name` of a node; repeatable (default: all that are Ready and run Linux)")
	set.StringVarP(&c.Selector, "selector", "l", "", "label `selector` of nodes")
	set.BoolVar(&c.All, "all", false, "allow more than 50 nodes")
	set.BoolVar(&c.Tainted, "tainted", false, "include nodes with taints; the pods tolerate them")
	set.BoolVar(&c.HostNetwork, "host-network", false, "put the pods on the node's network, for a node without a pod network; Pod Security must allow it")
	set.StringVar(&c.Image, "image", check.DefaultImage, "`image` of the pods; it needs a shell and sleep")
	set.Int64Var(&c.User, "user", 65532, "user `ID` of the pods' process; -1 leaves it to the cluster, as OpenShift requires")
	set.Int64Var(&c.Grace, "grace", check.DefaultGrace, "grace period of the pods in `seconds`")
	set.BoolVar(&c.Hooks, "hooks", false, "repeat the probes with a preStop hook that never ends")
	set.IntVar(&c.Parallel, "parallel", check.DefaultParallel, "number of `nodes` checked at a time")
	set.DurationVar(&c.StartTimeout, "start-timeout", time.Minute, "`time` for a node's pods to start, image pull included")
	set.StringVarP(&f.output, "output", "o", "table", "`format` of the result on standard output: table, json or junit")
	set.StringVar(&f.junitFile, "junit", "", "write the result as JUnit to this `file`, too")
	set.StringVar(&f.jsonFile, "json", "", "write the result as JSON to this `file`, too")
	set.BoolVarP(&f.quiet, "quiet", "q", false, "print no progress")
	set.BoolVar(&f.cleanup, "cleanup", false, "only remove what killed runs left behind")
	set.BoolVar(&f.dryRun, "dry-run", false, "print the required roles and the objects of a run, and contact no cluster")
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

// conclude turns the outcome into an exit code. An affected node takes precedence over errors.
func conclude(report check.Report, err error) error {
	switch {
	case report.Verdict() == check.Affected:
		return &Error{ExitAffected, errors.Join(errors.New("nodes are affected: they ignore a second, shorter delete"), err)}
	case err != nil:
		return &Error{ExitUnknown, err}
	case report.Verdict() == check.Unknown:
		return &Error{ExitUnknown, errors.New("not every node has a verdict")}
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
