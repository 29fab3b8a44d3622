// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/e2enode"
)

func newE2ENodeCommand(app *app) *cobra.Command {
	var (
		o          e2enode.Options
		arm, specs string
		out        = newOutputFlag()
	)
	cmd := &cobra.Command{
		Use:   "e2e-node",
		Short: "Run Kubernetes' own node e2e suite on a real node of each arm",
		Long: `Compile Kubernetes' own node e2e suite (test/e2e_node) from the fixed tree, run it inside a real node of each arm, and print
one table: spec, verdict on the arm, and the reason.

The series' own specs must fail on stock for the reason that patches/<minor>/intree.yaml names, or pass where it calls them
kept, and pass on fixed. Upstream's own specs about pod termination must pass on both; internal/e2enode lists them, and the
reason for each that cannot pass. The specs' images are built from static programs, under the names that the tree uses. go vet
runs on the suite's package first.

Missing programs are built first; the suite takes a few minutes. Needs root and Debian's busybox-static. JUnit, JSON and, for each
arm, the suite's log and report go to $` + ArtifactsVar + ` (default: artifacts in the output directory).

Verdicts and exit codes are those of kgrace regress: 0 as expected, 1 red, 2 usage, 3 something could not be run or judged.`,
		Example: "  kgrace e2e-node\n  kgrace e2e-node --specs own\n  kgrace e2e-node --arm fixed --focus 'when a terminating pod is evicted'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if o.Arms, err = armsOf(arm); err != nil {
				return usage(err)
			}
			if !slices.Contains([]string{"all", "own", "neighbours"}, specs) {
				return usage(fmt.Errorf("--specs %s: want all, own or neighbours", specs))
			}
			if _, err := regexp.Compile(o.Focus); err != nil {
				return usage(fmt.Errorf("--focus: %w", err))
			}
			if o.Procs < 1 || o.Timeout <= 0 {
				return usage(errors.New("--procs and --timeout must be above zero"))
			}
			if o.Repo, err = app.repo(); err != nil {
				return err
			}
			if _, err := o.Repo.Versions.Minor(o.Minor); err != nil {
				return usage(err)
			}
			o.Minor = cmp.Or(o.Minor, o.Repo.Versions.Default)
			o.Own, o.Neighbours = specs != "neighbours", specs != "own"
			o.Nodes, o.Artifacts = nodesDir(o.Repo), cmp.Or(o.Artifacts, artifacts(o.Repo))
			report, err := e2enode.Run(cmd.Context(), o)
			switch {
			case errors.Is(err, e2enode.ErrNoSpec):
				return usage(err)
			case errors.Is(err, e2enode.ErrVet):
				return red(err)
			case err != nil:
				return err
			}
			return app.printE2ENode(report, o.Artifacts, out)
		},
	}
	addMinorFlag(cmd, &o.Minor)
	addArmFlag(cmd, &arm)
	cmd.Flags().StringVar(&specs, "specs", "all", "specs to run: own (of the series), neighbours (upstream's) or all")
	cmd.Flags().StringVar(&o.Focus, "focus", "", "run only specs whose text, without labels, matches this regular expression")
	cmd.Flags().IntVar(&o.Procs, "procs", 4, "number of specs that run in parallel")
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 40*time.Minute, "time limit of the suite on one arm")
	cmd.Flags().BoolVar(&o.NoVet, "no-vet", false, "do not run go vet on the suite's package")
	cmd.Flags().StringVar(&o.Artifacts, "artifacts", os.Getenv(ArtifactsVar), "directory for logs and reports")
	cmd.Flags().VarP(&out, "output", "o", "output format")
	return cmd
}

// printE2ENode prints the table and returns the outcome.
func (a *app) printE2ENode(report e2enode.Report, artifacts string, out outputFlag) error {
	var rows [][]string
	for _, res := range report.Results {
		whose := "upstream"
		if res.Own {
			whose = "series"
		}
		rows = append(rows, []string{res.Spec, whose, string(res.Arm), string(res.Verdict), fmt.Sprintf("%.1fs", res.Seconds), firstRunes(res.Why, 100)})
		if res.Message != "" {
			fmt.Fprintf(a.errs, "---- %s on %s: %s\n%s\n", res.Spec, res.Arm, res.Verdict, lastLines(res.Message, 40))
		}
	}
	if err := out.write(a.output, report.Results, []string{"SPEC", "WHOSE", "ARM", "VERDICT", "TIME", "WHY"}, rows); err != nil {
		return err
	}
	fmt.Fprintf(a.errs, "e2e-node: %s; reports in %s\n", e2enode.Summary(report.Results), artifacts)
	good, bad, invalid := e2enode.Counts(report.Results)
	return outcome(good, bad, invalid, report.Broken, "no spec ran")
}
