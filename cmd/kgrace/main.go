// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Command kgrace lays out, builds, tests and runs the stock and the fixed kubelet.
//
// Exit codes, the same for every command:
//
//	  0  done, and everything as expected
//	  1  a check or a verdict is red
//	  2  the command line is wrong
//	  3  the command failed, or the run is invalid
//	130  interrupted by SIGINT (143 by SIGTERM, 129 by SIGHUP)
//
// make turns every failure into its own 2: to see these codes, run _output/bin/kgrace, which `make kgrace` builds.
//
// Results go to standard output; progress and errors to standard error. Ctrl-C (SIGINT), SIGTERM and SIGHUP stop the work and
// clean up; a second signal ends kgrace at once.
package main

import (
	"context"
	"os"

	"github.com/kgrace/kgrace/internal/localnode"
)

func main() {
	// A copy of this program that was started as the first process of a node's namespaces does not return from here.
	localnode.MaybeInit()
	ctx, stop := untilSignal(context.Background())
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
