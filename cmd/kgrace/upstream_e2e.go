// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/upstreame2e"
)

func newUpstreamE2ECommand(app *app) *cobra.Command {
	var (
		o    upstreame2e.Options
		arm  string
		list bool
		out  = newOutputFlag()
	)
	cmd := &cobra.Command{
		Use:   "upstream-e2e [text]",
		Short: "Run upstream's e2e specs about pod termination on kind clusters of both arms",
		Long: `Run Kubernetes' own end-to-end specs about pod termination on a kind cluster of each arm: hooks, grace periods, deletion,
eviction, taints, preemption, what controllers see. internal/upstreame2e/specs.yaml lists them and those that are not run, each
with the reason. With text, only specs whose names contain it run.

e2e.test is the release's own; the node images are given, or built if the engine does not have them. The images that specs need
are built from static programs; those that are not supplied are listed. Needs Docker and Debian's
busybox-static. ` + upstreame2e.ResultsFile + `, JUnit and the suites' logs go to $` + ArtifactsVar + ` (default: artifacts in the output directory).

Verdicts: kept (passes on both), fixed (fails on stock, passes on fixed), regressed (passes on stock, fails on fixed: red), alike (fails on both), invalid.

Exit codes:
  0  every spec passes on fixed
  1  red: a spec passes on stock and fails on fixed
  2  the command line is wrong
  3  invalid: nothing is red, but a spec fails on both arms, or could not be run`,
		Example: "  kgrace upstream-e2e\n  kgrace upstream-e2e --list\n  kgrace upstream-e2e 'Lifecycle Sleep Hook' -o json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			o.Only = strings.Join(args, "")
			if o.Arms, err = armsOf(arm); err != nil {
				return usage(err)
			}
			switch {
			case o.Processes < 1:
				return usage(errors.New("--processes must be at least 1"))
			case list && o.NoSerial:
				return usage(errors.New("--list is of specs.yaml, which does not tell serial specs apart; it goes without --no-serial"))
			}
			if o.Repo, err = app.repo(); err != nil {
				return err
			}
			if _, err := o.Repo.Versions.Minor(o.Minor); err != nil {
				return usage(err)
			}
			if list {
				return app.listUpstreamE2E(o.Only, out)
			}
			o.Minor = cmp.Or(o.Minor, o.Repo.Versions.Default)
			if o.Artifacts, err = filepath.Abs(cmp.Or(o.Artifacts, filepath.Join(o.Repo.Output, "artifacts"))); err != nil {
				return err
			}
			results, err := upstreame2e.Run(cmd.Context(), o)
			if err != nil {
				return err
			}
			return app.printUpstreamE2E(results, o.Artifacts, out)
		},
	}
	addMinorFlag(cmd, &o.Minor)
	addArmFlag(cmd, &arm)
	o.NodeImages = addImageFlags(cmd)
	f := cmd.Flags()
	f.IntVar(&o.Processes, "processes", 6, "number of concurrent e2e.test processes per cluster; they mostly wait")
	f.DurationVar(&o.Timeout, "timeout", 40*time.Minute, "time limit of a suite; specs that it cuts short are invalid")
	f.BoolVar(&o.OneByOne, "one-by-one", false, "run one arm after the other, for small machines")
	f.BoolVar(&o.NoSerial, "no-serial", false, "leave out specs that need a cluster for themselves, which take most of the time")
	f.BoolVar(&list, "list", false, "list which specs are run and which are not, by parts of their names, and build and run nothing")
	f.StringVar(&o.Artifacts, "artifacts", os.Getenv(ArtifactsVar), "directory for results and logs")
	f.VarP(&out, "output", "o", "output format")
	return cmd
}

func (a *app) listUpstreamE2E(only string, out outputFlag) error {
	run, not, err := upstreame2e.Listed(only)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for _, s := range run {
		rows = append(rows, []string{"run", s.Text, s.Why})
	}
	for _, s := range not {
		rows = append(rows, []string{"not run", s.Text, s.Why})
	}
	return out.write(a.output, map[string]any{"run": run, "not": not}, []string{"", "SPEC", "WHY"}, rows)
}

// printUpstreamE2E prints the results and turns them into the exit code.
func (a *app) printUpstreamE2E(results upstreame2e.Results, artifacts string, out outputFlag) error {
	if out == "json" {
		if err := writeJSON(a.output, results); err != nil {
			return err
		}
	} else if err := results.Table(a.output); err != nil {
		return err
	}
	fmt.Fprintf(a.errs, "upstream-e2e: reports in %s\n", artifacts)
	if reds := results.Red(); len(reds) > 0 {
		return red(fmt.Errorf("red: pass on stock and fail on fixed: %s", strings.Join(reds, "; ")))
	}
	if unsaid := results.Unsaid(); len(unsaid) > 0 {
		return fmt.Errorf("invalid: no verdict on the arms: %s", strings.Join(unsaid, "; "))
	}
	return nil
}
