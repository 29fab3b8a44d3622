// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/kubetree/verify"
	"github.com/kgrace/kgrace/internal/mutant"
	"github.com/kgrace/kgrace/internal/repocheck"
	"github.com/kgrace/kgrace/internal/vendored"
	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

// check is one line of verify. run returns faults, each with the way out, or an error if it could not check.
type check struct {
	name string
	run  func(ctx context.Context) (faults []string, err error)
}

// checked is a check with its result.
type checked struct {
	Name    string   `json:"name"`
	Result  string   `json:"result"` // ok, FAILED or NOT RUN
	Faults  []string `json:"faults,omitempty"`
	Seconds float64  `json:"seconds"`
}

func newVerifyCommand(app *app) *cobra.Command {
	out := newOutputFlag()
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that patches, copied and generated files agree with each other",
		Long: `Check that patches, copied and generated files agree with each other. Only the trees under _output are written, and only the
type checker is built.

For every Kubernetes minor:
  series lint   names, messages, trailers and boilerplate of its patches; the same subjects as the default minor's
  round trip    its patches apply, and extracting them again gives the same bytes
  gofmt         the files that they touch are gofmt'ed
  types         the packages that they touch, tests included, type-check with the toolchain of the minor
  declared      intree.yaml names every test that they add or change
For the module:
  copied files  pkg/podworkers and pkg/graceperiod match the fixed tree of the default minor
  mutants       every deliberate bug finds its text in the fixed tree
  patch table   patches/README.md matches the patches
  upstream docs the tables of docs/upstream match the patches
  go.mod        agrees with versions.yaml
  repository    licence headers, package docs, file sizes, import arrows, forbidden words`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := app.repo()
			if err != nil {
				return err
			}
			return app.verify(cmd.Context(), checks(r), out)
		},
	}
	cmd.Flags().VarP(&out, "output", "o", "output format")
	return cmd
}

// verify runs and prints every check. Its error names the checks that failed or could not run.
func (a *app) verify(ctx context.Context, all []check, out outputFlag) error {
	var results []checked
	var rows [][]string
	var failed, unrun []string
	for _, c := range all {
		start := time.Now()
		faults, err := c.run(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		res := checked{Name: c.name, Result: "ok", Faults: faults, Seconds: time.Since(start).Seconds()}
		switch {
		case err != nil:
			res.Result, res.Faults = "NOT RUN", append(faults, err.Error())
			unrun = append(unrun, c.name)
		case len(faults) > 0:
			res.Result = "FAILED"
			failed = append(failed, c.name)
		}
		results = append(results, res)
		rows = append(rows, []string{res.Name, res.Result, fmt.Sprintf("%.1fs", res.Seconds)})
		for _, f := range res.Faults {
			fmt.Fprintf(a.errs, "%s: %s\n", c.name, strings.ReplaceAll(f, "\n", "\n    "))
		}
	}
	if err := out.write(a.output, results, []string{"CHECK", "RESULT", "TIME"}, rows); err != nil {
		return err
	}
	switch {
	case len(failed) > 0:
		return red(fmt.Errorf("FAILED: %s", strings.Join(failed, ", ")))
	case len(unrun) > 0:
		return fmt.Errorf("not run: %s", strings.Join(unrun, ", "))
	}
	return nil
}

func checks(r *kubetree.Repo) []check {
	var all []check
	for _, minor := range r.Versions.MinorNames() {
		s := verify.Series{Repo: r, Minor: minor}
		all = append(all, check{"series lint " + minor, s.Lint}, check{"round trip " + minor, s.RoundTrip}, check{"gofmt " + minor, s.Gofmt},
			check{"types " + minor, s.Types}, check{"declared tests " + minor, s.Declared})
	}
	onFixed := func(name string, run func(tree string) error) check {
		return check{name, func(ctx context.Context) ([]string, error) {
			tree, err := r.Ensure(ctx, "", verdict.Fixed, nil)
			if err != nil {
				return nil, err
			}
			return verify.Faults(run(tree.Dir)), nil
		}}
	}
	all = append(all,
		onFixed("copied files", func(tree string) error { return vendored.Verify(tree, r.Root, origin(r), vendored.Copies) }),
		onFixed("mutants", func(tree string) error {
			_, err := mutant.Misfits(tree, mutant.All())
			return err
		}),
		check{"patch table", func(ctx context.Context) ([]string, error) { return checkPatchTable(ctx, r) }},
		check{"upstream docs", func(ctx context.Context) ([]string, error) { return checkUpstreamDocs(ctx, r) }},
		check{"go.mod", func(context.Context) ([]string, error) { return verify.Faults(versions.CheckGoMod(r.Root)), nil }},
	)
	return append(all, repositoryChecks(r.Root)...)
}

func repositoryChecks(root string) []check {
	var all []check
	for i, rule := range repocheck.Rules(nil) {
		all = append(all, check{rule.Name, func(ctx context.Context) ([]string, error) {
			files, err := repocheck.Load(ctx, root)
			if err != nil {
				return nil, err
			}
			machine, err := repocheck.Machine(ctx, root)
			if err != nil {
				return nil, err
			}
			return repocheck.Rules(machine)[i].Check(files), nil
		}})
	}
	return all
}

// origin describes the source of the copied files.
func origin(r *kubetree.Repo) string {
	minor := r.Versions.Default
	return fmt.Sprintf("Kubernetes %s with patches/%s", r.Versions.Minors[minor].Kubernetes, minor)
}
