// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package intree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Runner runs the proof for one series.
type Runner struct {
	// Stock and Fixed are the trees, laid out.
	Stock, Fixed string
	// Toolchain is the Go version of the minor, "go1.26.10".
	Toolchain string
	// Series is the difference between Fixed and Stock.
	Series *patchset.Series
	// Run lists the packages whose tests run; Vet lists those under test/, whose specs need a node (`kgrace e2e-node`).
	Run, Vet []string
	// Declared are the series' own tests.
	Declared []Declared
	// OnStock contains variants of their helpers for functions that Stock lacks.
	OnStock []StockForm
	// Progress receives one line per step; nil discards them.
	Progress io.Writer

	// plain disables the race detector, so that the tests of this package need not compile the standard library for it.
	plain bool
	mu    sync.Mutex
}

// Step is an optional part of the proof.
type Step string

// The steps, in order.
const (
	StepFixed   Step = "fixed"   // all tests of the touched packages on the fixed arm
	StepStock   Step = "stock"   // the series' own tests on the stock arm
	StepWindows Step = "windows" // go vet for the nodes' other operating system
	StepEach    Step = "each"    // the tests of the packages that a patch touches, after each patch
)

// Steps returns all steps. The last takes minutes per patch and only runs on request.
func Steps() []Step { return []Step{StepFixed, StepStock, StepWindows, StepEach} }

// DefaultSteps returns the steps for every change.
func DefaultSteps() []Step { return []Step{StepFixed, StepStock, StepWindows} }

// Do carries out one step. An error means that the step could not be carried out, not that a test is red.
func (r *Runner) Do(ctx context.Context, step Step) ([]Result, error) {
	switch step {
	case StepFixed:
		results, err := r.runFixed(ctx)
		if err != nil {
			return nil, err
		}
		vetted, err := r.vet(ctx, r.Fixed, verdict.Fixed, "linux", r.Run)
		return append(results, vetted...), err
	case StepStock:
		var results []Result
		for _, pkg := range packagesOf(r.Declared) {
			var own []Declared
			for _, d := range r.Declared {
				if d.Package == pkg {
					own = append(own, d)
				}
			}
			res, err := r.runStock(ctx, pkg, own)
			if err != nil {
				return results, err
			}
			results = append(results, res...)
		}
		return results, nil
	case StepWindows:
		return r.vet(ctx, r.Fixed, verdict.Fixed, "windows", r.Run)
	case StepEach:
		return r.runEach(ctx)
	}
	return nil, tool.NewUnknown("step", string(step), "", Steps())
}

// vet runs go vet on packages of a tree, including tests, as compiled for an operating system.
func (r *Runner) vet(ctx context.Context, tree string, arm verdict.Arm, goos string, packages []string) ([]Result, error) {
	if len(packages) == 0 {
		return nil, nil
	}
	args := []string{"vet"}
	for _, pkg := range packages {
		args = append(args, "./"+pkg)
	}
	start := time.Now()
	stop := r.heartbeat("%-6s go vet for %s, %d packages", arm, goos, len(packages))
	_, err := tool.Go(ctx, tree, r.Toolchain, []string{"GOOS=" + goos}, args...)
	stop()
	res := Result{Package: "go vet " + goos, Arm: arm, Seconds: time.Since(start).Seconds()}
	var failed *tool.Error
	switch {
	case err == nil:
		res.set(verdict.Kept, fmt.Sprintf("%d packages", len(packages)))
	case errors.As(err, &failed) && ctx.Err() == nil:
		res.set(verdict.Regressed, "go vet reports faults")
		res.Output = failed.Stdout + failed.Stderr
	default:
		return nil, err
	}
	r.say("%-6s %s %s", arm, res.Verdict, res.Package)
	return []Result{res}, nil
}

func (r *Runner) say(format string, args ...any) {
	if r.Progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.Progress, "intree: "+format+"\n", args...)
}

// heartbeat announces a step and logs every half minute that it is still running, until stop is called.
func (r *Runner) heartbeat(format string, args ...any) (stop func()) {
	what := fmt.Sprintf(format, args...)
	r.say("%s", what)
	return tool.Heartbeat(time.Now(), func(running time.Duration) { r.say("%s: running for %s", what, running) })
}
