// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/intree"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/kubetree/verify"
	"github.com/kgrace/kgrace/internal/tool"
)

func newIntreeCommand(app *app) *cobra.Command {
	var (
		minor string
		steps []string
		tests []string
		out   = newOutputFlag()
	)
	cmd := &cobra.Command{
		Use:   "intree",
		Short: "Test the series with the Go tests of the tree",
		Long: `Prove the series with the Go tests of the tree, in these steps:

  fixed    all tests of every package that the series touches pass on the fixed tree, under the race detector
  stock    the tests that the series adds or changes fail on the stock tree, each for the reason that
           patches/<minor>/intree.yaml names, or pass where it calls them kept
  windows  go vet of the touched packages for GOOS=windows
  each     with each patch and those before it, the packages build and the tests of the packages that it touches pass. Only on
           request: it takes a minute or more per patch

intree.json and junit-intree.xml go to $ARTIFACTS (default: artifacts in the output directory). Needs gcc, for the race
detector. The first run compiles for several minutes.`,
		Example: "  kgrace intree\n  kgrace intree --step stock --test TestSyncTerminating",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			wanted, err := stepsOf(steps)
			if err != nil {
				return usage(err)
			}
			r, minor, err := app.seriesOf(minor)
			if err != nil {
				return err
			}
			return app.intree(cmd.Context(), r, minor, wanted, tests, out)
		},
	}
	addMinorFlag(cmd, &minor)
	cmd.Flags().StringSliceVar(&steps, "step", nil, "steps to run (default: fixed, stock, windows)")
	cmd.Flags().StringSliceVar(&tests, "test", nil, "run only tests of the series whose names contain one of these")
	cmd.Flags().VarP(&out, "output", "o", "output format")
	return cmd
}

func stepsOf(names []string) ([]intree.Step, error) {
	if len(names) == 0 {
		return intree.DefaultSteps(), nil
	}
	var steps []intree.Step
	for _, name := range names {
		if !slices.Contains(intree.Steps(), intree.Step(name)) {
			return nil, tool.NewUnknown("step", name, "", intree.Steps())
		}
		steps = append(steps, intree.Step(name))
	}
	return steps, nil
}

func (a *app) intree(ctx context.Context, r *kubetree.Repo, minor string, steps []intree.Step, tests []string, out outputFlag) error {
	series := verify.Series{Repo: r, Minor: minor}
	runner, err := series.Runner(ctx)
	if err != nil {
		return err
	}
	faults, declared, err := series.Declaration(runner)
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		return red(errors.New(strings.Join(faults, "\n  ")))
	}
	runner.Declared, runner.OnStock = declared.Tests, declared.OnStock
	if len(tests) > 0 {
		runner.Declared = slices.DeleteFunc(runner.Declared, func(d intree.Declared) bool {
			return !slices.ContainsFunc(tests, func(part string) bool { return strings.Contains(d.Name(), part) })
		})
		if len(runner.Declared) == 0 {
			return usage(fmt.Errorf("no test of the series has %s in its name", strings.Join(tests, " or ")))
		}
	}
	var results []intree.Result
	var broken error
	for _, step := range steps {
		res, err := runner.Do(ctx, step)
		results = append(results, res...)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			broken = errors.Join(broken, fmt.Errorf("step %s: %w", step, err))
		}
	}
	if err := intree.Write(artifacts(r), results); err != nil {
		return err
	}
	var rows [][]string
	for _, res := range results {
		rows = append(rows, []string{res.Name(), string(res.Arm), string(res.Verdict), firstRunes(res.Why, 100)})
		if res.Output != "" {
			fmt.Fprintf(a.errs, "---- %s on %s: %s: %s\n%s\n", res.Name(), res.Arm, res.Verdict, res.Why, lastLines(res.Output, 60))
		}
	}
	if err := out.write(a.output, results, []string{"TEST", "ARM", "VERDICT", "WHY"}, rows); err != nil {
		return err
	}
	fmt.Fprintf(a.errs, "intree: %s; reports in %s\n", intree.Summary(results), artifacts(r))
	good, bad, invalid := intree.Counts(results)
	return outcome(good, bad, invalid, broken, "nothing ran")
}

// artifacts returns the directory for reports.
func artifacts(r *kubetree.Repo) string {
	if dir := os.Getenv("ARTIFACTS"); dir != "" {
		return dir
	}
	return filepath.Join(r.Output, "artifacts")
}

func firstRunes(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if len(lines) > n {
		lines = append([]string{fmt.Sprintf("… (%d lines before)", len(lines)-n)}, lines[len(lines)-n:]...)
	}
	return strings.Join(lines, "\n")
}
