// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Command kubectl-kgrace checks whether a cluster's kubelets have the fault: it is `kgrace check` without the rest of kgrace.
// In a directory of $PATH it is a kubectl plugin, too: `kubectl kgrace check`.
//
// Exit codes:
//
//	0  every checked node is fixed
//	1  a node is affected
//	2  the command line is wrong
//	3  no verdict, or the run failed
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/cmd/kubectl-kgrace/check/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// The first signal restores the default action, so that a second one ends the process.
	context.AfterFunc(ctx, stop)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	root := &cobra.Command{
		Use:           "kubectl-kgrace",
		Short:         "Check whether a cluster's kubelets honour shortened grace periods",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(command.New(out, errs))
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintf(errs, "kubectl-kgrace: %v\n", err)
	var coded *command.Error
	if errors.As(err, &coded) {
		return coded.Code
	}
	fmt.Fprintf(errs, "Run 'kubectl-kgrace check --help'.\n")
	return command.ExitUsage
}
