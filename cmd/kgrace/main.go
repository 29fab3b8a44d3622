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
