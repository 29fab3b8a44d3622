// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/verdict"
)

func newTreeCommand(app *app) *cobra.Command {
	var (
		minor, arm string
		reset      bool
		out        = newOutputFlag()
	)
	cmd := &cobra.Command{
		Use:   "tree",
		Short: "Lay out the source trees of a Kubernetes minor",
		Long: `Lay out the source trees of a Kubernetes minor, stock and fixed, and print their directories.

Each tree is a git repository under _output/trees. A tree that is up to date is left alone; one with edits that are not in
the series is replaced only with --reset.`,
		Example: "  kgrace tree\n  kgrace tree --arm fixed -o json\n  KUBE_SRC=~/kubernetes kgrace tree",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			arms, err := armsOf(arm)
			if err != nil {
				return usage(err)
			}
			r, minor, err := app.seriesOf(minor)
			if err != nil {
				return err
			}
			lay := r.Ensure
			if reset {
				lay = r.Reset
			}
			var trees []*kubetree.Tree
			var rows [][]string
			for _, a := range arms {
				t, err := lay(cmd.Context(), minor, a, nil)
				if err != nil {
					return err
				}
				trees = append(trees, t)
				rows = append(rows, []string{t.Minor, string(t.Arm), t.Kubernetes, t.Commit[:12], t.Dir})
			}
			return out.write(app.output, trees, []string{"MINOR", "ARM", "TAG", "COMMIT", "DIRECTORY"}, rows)
		},
	}
	addMinorFlag(cmd, &minor)
	addArmFlag(cmd, &arm)
	cmd.Flags().BoolVar(&reset, "reset", false, "discard edits in the trees")
	cmd.Flags().VarP(&out, "output", "o", "output format")
	return cmd
}

func addMinorFlag(cmd *cobra.Command, minor *string) {
	cmd.Flags().StringVar(minor, "kubernetes", "", "Kubernetes minor, as in versions.yaml (default: its default)")
}

func addArmFlag(cmd *cobra.Command, arm *string) {
	cmd.Flags().StringVar(arm, "arm", "", "stock or fixed (default: both)")
}

// armsOf reads the value of --arm; "" means both.
func armsOf(name string) ([]verdict.Arm, error) {
	if name == "" {
		return verdict.Arms(), nil
	}
	a, err := verdict.ParseArm(name)
	return []verdict.Arm{a}, err
}
