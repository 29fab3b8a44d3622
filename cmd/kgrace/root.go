// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/mod/modfile"

	"github.com/kgrace/kgrace/cmd/kubectl-kgrace/check/command"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/verdict"
)

// moduleName distinguishes a checkout of this project from other directories with a go.mod.
const moduleName = "github.com/kgrace/kgrace"

// RootVar is the environment variable that names the checkout, for use outside of it.
const RootVar = "KGRACE_ROOT"

// app holds what the commands share.
type app struct {
	root   string    // the checkout of this project; use repo()
	output io.Writer // results
	errs   io.Writer // progress and errors
}

// exitError is an error with an exit code of its own; main.go lists the codes. Any other error of a command means
// verdict.ExitInvalid.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// red marks an error as a check or verdict that is red.
func red(err error) error { return &exitError{verdict.ExitRed, err} }

// usage marks an error as a mistake on the command line.
func usage(err error) error { return &exitError{verdict.ExitUsage, err} }

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string, output, errs io.Writer) int {
	root := newRootCommand(&app{output: output, errs: errs})
	root.SetArgs(args)
	root.SetOut(output)
	root.SetErr(errs)
	started := false
	root.PersistentPreRun = func(*cobra.Command, []string) { started = true }
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return verdict.ExitGood
	}
	if ctx.Err() != nil {
		return interrupted(ctx, errs, err)
	}
	fmt.Fprintf(errs, "kgrace: %s\n", explain(err))
	var coded *exitError
	var checked *command.Error
	switch {
	case errors.As(err, &checked):
		return checked.Code
	case errors.As(err, &coded):
		return coded.code
	case !started:
		// Cobra refused the command line before any command ran.
		fmt.Fprintf(errs, "Run '%s --help'.\n", cmd.CommandPath())
		return verdict.ExitUsage
	}
	return verdict.ExitInvalid
}

func newRootCommand(app *app) *cobra.Command {
	cobra.EnableTraverseRunHooks = true
	root := &cobra.Command{
		Use:   "kgrace",
		Short: "A kubelet that honours shortened grace periods",
		Long: `kgrace lays out two arms of Kubernetes, stock and fixed, builds them, proves the fix, and runs both on a real node.

Exit codes:
  0  done, and everything as expected
  1  a check or a verdict is red
  2  the command line is wrong
  3  the command failed, or the run is invalid
  130  interrupted by SIGINT (143 by SIGTERM, 129 by SIGHUP)
make turns every failure into its own 2; run _output/bin/kgrace, which "make kgrace" builds, to see these.

Environment:
  ` + RootVar + `    checkout to work on (default: the one around the current directory)
  ` + kubetree.OutputVar + `  directory for trees, binaries and nodes (default: _output in the checkout)
  ` + kubetree.SourceVar + `       git checkout of Kubernetes to lay out instead of the Go module`,
		Args:          onlyCommands,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(
		newTreeCommand(app),
		newBuildCommand(app),
		newPatchCommand(app),
		newVerifyCommand(app),
		newIntreeCommand(app),
		newE2ENodeCommand(app),
		newMatrixCommand(app),
		newBenchCommand(app),
		newUpdateCommand(app),
		newNodeCommand(app),
		newRegressCommand(app),
		newE2ECommand(app),
		newPropertiesCommand(app),
		newMutantsCommand(app),
		newSoakCommand(app),
		newScaleCommand(app),
		newImageCommand(app),
		newReportCommand(app),
		newShardCommand(app),
		newUpstreamE2ECommand(app),
		newReleaseCommand(app),
		newReleasesCommand(app),
		newConformanceCommand(app),
		newVersionCommand(app),
		command.New(app.output, app.errs),
	)
	addHelp(root)
	root.SetOut(app.output) // completion takes it here
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	addCompletion(app, root)
	return root
}

// repo opens the checkout.
func (a *app) repo() (*kubetree.Repo, error) {
	root, err := a.findRoot()
	if err != nil {
		return nil, err
	}
	r, err := kubetree.Open(root)
	if err != nil {
		return nil, err
	}
	r.Progress = a.errs
	return r, nil
}

// findRoot finds the checkout: KGRACE_ROOT, or the nearest directory upwards that holds this module.
func (a *app) findRoot() (string, error) {
	if a.root != "" {
		return a.root, nil
	}
	if dir := os.Getenv(RootVar); dir != "" {
		if !isCheckout(dir) {
			return "", fmt.Errorf("%s=%s is not a checkout of %s", RootVar, dir, moduleName)
		}
		a.root = dir
		return dir, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		if isCheckout(dir) {
			a.root = dir
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not inside a checkout of %s; go there or set %s", here, moduleName, RootVar)
		}
	}
}

func isCheckout(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && modfile.ModulePath(data) == moduleName
}
