// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/bench"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/tool"
)

// benchRun holds the parameters and the results of a run.
type benchRun struct {
	Minor      string `json:"minor"`
	Kubernetes string `json:"kubernetes"`
	Rounds     int    `json:"rounds"`
	Times      int    `json:"times"`
	// Limit is the slowdown in percent above which a benchmark is red.
	Limit float64 `json:"limit"`
	// Slowed is set if the fixed arm was slowed down on purpose.
	Slowed bool `json:"slowed,omitempty"`
	// Alone is set if the programs ran on one CPU with real-time priority.
	Alone bool `json:"alone,omitempty"`
	CPUs  int  `json:"cpus"`
	// Load holds the machine's one-minute load averages before and after the run.
	Load [2]string   `json:"load"`
	Rows []bench.Row `json:"rows"`
}

func newBenchCommand(app *app) *cobra.Command {
	run := benchRun{CPUs: runtime.GOMAXPROCS(0)}
	out := newOutputFlag()
	only := ""
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Benchmark UpdatePod, fixed against stock",
		Long: `Benchmark the fixed arm's UpdatePod against stock's. A benchmark is laid over both trees and compiled with each arm's pod
workers; the two programs run in turns and are compared as benchstat does it. It times UpdatePod of a new, a running, a deleted and a
terminating pod, with ever shorter grace periods and with force, and a pod's whole way through its worker. Allocations are
reported; only time is judged.

A benchmark is SLOWER (red) if the difference is significant and above the limit. Where the fix does what stock does not, the limit
is higher: 50 % when a request moves the deadline, 10 % for a pod's whole way. It is unclear, and the run invalid, if the samples
spread wider than the limit and could not have shown it: let the machine rest, add rounds, or reserve a CPU with --alone.

bench.json and the samples, bench-stock.txt and bench-fixed.txt, which benchstat reads, go to $ARTIFACTS (default: artifacts in
the output directory).`,
		Example: "  kgrace bench\n  kgrace bench --kubernetes v1.38 --count 40\n  kgrace bench --slowed      # has to come out red",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if run.Rounds < 10 || run.Times < 1 || run.Limit <= 0 {
				return usage(fmt.Errorf("--count must be at least 10, since fewer samples show nothing; --times and --limit must be above 0"))
			}
			if _, err := regexp.Compile(only); err != nil {
				return usage(fmt.Errorf("--bench: %w", err))
			}
			r, minor, err := app.seriesOf(run.Minor)
			if err != nil {
				return err
			}
			run.Minor = minor
			return app.bench(cmd.Context(), r, run, only, out)
		},
	}
	addMinorFlag(cmd, &run.Minor)
	flags := cmd.Flags()
	flags.IntVar(&run.Rounds, "count", 20, "number of runs of each arm")
	flags.IntVar(&run.Times, "times", 3000, "number of calls timed in one run")
	flags.Float64Var(&run.Limit, "limit", 5, "slowdown in percent above which a benchmark is red")
	flags.StringVar(&only, "bench", "", "run only benchmarks that match this regular expression")
	flags.BoolVar(&run.Slowed, "slowed", false, "slow the fixed arm down on purpose, to see a red comparison")
	flags.BoolVar(&run.Alone, "alone", false, "give the programs one CPU with real-time priority (root; chrt and taskset of util-linux)")
	flags.VarP(&out, "output", "o", "output format")
	return cmd
}

func (a *app) bench(ctx context.Context, r *kubetree.Repo, run benchRun, only string, out outputFlag) error {
	run.Kubernetes = r.Versions.Minors[run.Minor].Kubernetes
	arms, err := bench.Compile(ctx, r, run.Minor, run.Slowed)
	if err != nil {
		return err
	}
	run.Load[0] = loadAverage()
	samples, err := bench.Run(ctx, arms, bench.Plan{Rounds: run.Rounds, Times: run.Times, Bench: only, Alone: run.Alone, Progress: a.errs}, artifacts(r))
	if err != nil {
		return err
	}
	run.Load[1] = loadAverage()
	if run.Rows, err = bench.Compare(samples, run.Limit); err != nil {
		return err
	}
	if err := tool.WriteJSON(filepath.Join(artifacts(r), "bench.json"), run); err != nil {
		return err
	}
	header, rows := benchTable(run.Rows)
	if err := out.write(a.output, run, header, rows); err != nil {
		return err
	}
	fmt.Fprintf(a.errs, "bench: %d rounds of %d calls on %d CPUs, load %s before and %s after; samples in %s\n",
		run.Rounds, run.Times, run.CPUs, run.Load[0], run.Load[1], artifacts(r))
	return benchVerdict(run)
}

// benchVerdict returns a red error if a benchmark is slower, an invalid one if a benchmark is unclear.
func benchVerdict(run benchRun) error {
	var slower, unclear []string
	for _, row := range run.Rows {
		switch row.Verdict {
		case bench.Slower:
			slower = append(slower, fmt.Sprintf("%s by %.1f %%", row.Benchmark, row.Delta))
		case bench.Unclear:
			unclear = append(unclear, fmt.Sprintf("%s (± %.0f %%)", row.Benchmark, row.Spread))
		}
	}
	switch {
	case len(slower) > 0:
		return red(fmt.Errorf("slower than stock by more than the limit: %s", strings.Join(slower, ", ")))
	case len(unclear) > 0:
		return errors.New("the samples spread too wide for a verdict: " + strings.Join(unclear, ", ") + "; let the machine rest, add rounds with --count, or reserve a CPU with --alone")
	}
	return nil
}

func benchTable(all []bench.Row) (header []string, rows [][]string) {
	for _, row := range all {
		delta := "~"
		if row.Found {
			delta = fmt.Sprintf("%+.1f %%", row.Delta)
		}
		rows = append(rows, []string{row.Benchmark, amount(row.Stock, row.Unit), amount(row.Fixed, row.Unit), fmt.Sprintf("± %.0f %%", row.Spread),
			delta, row.P, string(row.Verdict)})
	}
	return []string{"BENCHMARK", "STOCK", "FIXED", "SPREAD", "DELTA", "P", "VERDICT"}, rows
}

// amount formats a figure with its unit.
func amount(v float64, unit string) string {
	if unit == "sec/op" {
		return time.Duration(v * float64(time.Second)).Round(time.Nanosecond).String()
	}
	return fmt.Sprintf("%g %s", v, unit)
}

// loadAverage returns the load average over the last minute, or "" if it cannot be read.
func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}
