// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"time"

	"github.com/kgrace/kgrace/internal/tool"
)

// Plan describes how to run the two programs.
type Plan struct {
	// Rounds is how often each program runs; each run yields one sample.
	Rounds int
	// Times is how often a round calls the measured code.
	Times int
	// Bench is the regular expression of benchmarks to run; "" means all of ours.
	Bench string
	// Alone gives the programs one CPU, with priority over everything else on the machine: with chrt and taskset, as root.
	Alone bool
	// Progress receives a line now and then; nil discards them.
	Progress io.Writer
}

// ours matches the benchmarks of the overlay.
const ours = "^BenchmarkKgrace"

// Samples are the files with the output of each arm.
type Samples struct{ Stock, Fixed string }

var measured = regexp.MustCompile(`(?m)^Benchmark\S+\s+\d+\s+[\d.]+ ns/op`)

// Run runs the two programs alternately and writes their output into dir.
func Run(ctx context.Context, arms Arms, plan Plan, dir string) (Samples, error) {
	if plan.Rounds < 1 || plan.Times < 1 {
		return Samples{}, fmt.Errorf("%d rounds of %d calls; want at least one of each", plan.Rounds, plan.Times)
	}
	if plan.Bench == "" {
		plan.Bench = ours
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Samples{}, err
	}
	samples := Samples{filepath.Join(dir, "bench-stock.txt"), filepath.Join(dir, "bench-fixed.txt")}
	out := map[string]string{}
	say := time.Now()
	for round := range plan.Rounds {
		turns := []string{arms.Stock, arms.Fixed}
		if round%2 == 1 {
			turns[0], turns[1] = turns[1], turns[0]
		}
		for _, program := range turns {
			text, err := once(ctx, program, plan)
			if err != nil {
				return Samples{}, err
			}
			out[program] += text
		}
		if plan.Progress != nil && (time.Since(say) > 10*time.Second || round+1 == plan.Rounds) {
			fmt.Fprintf(plan.Progress, "bench: %d of %d rounds\n", round+1, plan.Rounds)
			say = time.Now()
		}
	}
	if err := os.WriteFile(samples.Stock, []byte(out[arms.Stock]), 0o644); err != nil {
		return Samples{}, err
	}
	return samples, os.WriteFile(samples.Fixed, []byte(out[arms.Fixed]), 0o644)
}

// once runs one program once. It returns an error if the program measures nothing, because no result must not count as "not
// slower".
func once(ctx context.Context, program string, plan Plan) (string, error) {
	args := []string{program, "-test.run=^$", "-test.bench=" + plan.Bench, "-test.benchtime=" + strconv.Itoa(plan.Times) + "x", "-test.count=1", "-test.timeout=10m"}
	if plan.Alone {
		// The last CPU, because interrupts tend to go to the first.
		args = append(append([]string{"chrt", "--fifo", "10", "taskset", "--cpu-list", strconv.Itoa(runtime.NumCPU() - 1)}, args...), "-test.cpu=1")
	}
	out, err := tool.Run(ctx, tool.Cmd{Dir: filepath.Dir(program), Env: os.Environ(), Args: args})
	if err != nil {
		return "", err
	}
	if !measured.MatchString(out) {
		return "", fmt.Errorf("%s -test.bench=%s measured nothing; it printed:\n%s", program, plan.Bench, out)
	}
	return out, nil
}
