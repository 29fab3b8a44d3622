// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/patchset"
)

func newPatchSubmitCommand(app *app) *cobra.Command {
	var minor, author, signOff string
	var to patchset.Submission
	cmd := &cobra.Command{
		Use:   "submit --to DIR",
		Short: "Write the series in the form that Kubernetes accepts",
		Long: `Write the series of a minor into a directory for submission: patches for git am in your name, with your sign-off and without
the trailers that only this project uses. A message that mentions somebody or closes an issue is refused, as in Kubernetes.

The name comes from git's configuration in the current directory, unless --author is given. Kubernetes accepts patches only from
authors who have signed its contributor licence agreement.

Prints the files that were written.`,
		Example: "  kgrace patch submit --kubernetes v1.38 --to ~/submit\n  kgrace patch submit --to ~/submit --author 'A Person <person@example.org>'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to.Dir == "" {
				return usage(errors.New("--to is missing: name the directory for the patches"))
			}
			r, minor, err := app.seriesOf(minor)
			if err != nil {
				return err
			}
			if to.Author, err = personOf(cmd.Context(), author); err != nil {
				return err
			}
			to.SignOff = to.Author
			if signOff != "" {
				if to.SignOff, err = personOf(cmd.Context(), signOff); err != nil {
					return err
				}
			}
			series, err := patchset.Load(r.SeriesDir(minor))
			if err != nil {
				return err
			}
			written, err := series.Submit(to)
			for _, path := range written {
				fmt.Fprintln(app.output, path)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(app.errs, "by %s, signed off by %s\nin a checkout of Kubernetes, on a branch that begins at %s: git am %s/*.patch\n",
				to.Author, to.SignOff, r.Versions.Minors[minor].Kubernetes, to.Dir)
			return nil
		},
	}
	addMinorFlag(cmd, &minor)
	cmd.Flags().StringVar(&to.Dir, "to", "", "directory for the patches; created if missing")
	cmd.Flags().StringVar(&author, "author", "", "author, as 'A Person <person@example.org>' (default: git's user.name and user.email)")
	cmd.Flags().StringVar(&signOff, "signoff", "", "signer (default: the author)")
	cmd.Flags().BoolVar(&to.Overwrite, "overwrite", false, "replace patches already in the directory")
	return cmd
}

// personOf parses the flag; if it is empty, it returns git's identity.
func personOf(ctx context.Context, flag string) (patchset.Person, error) {
	if flag != "" {
		who, err := patchset.ParsePerson(flag)
		if err != nil {
			return who, usage(err)
		}
		return who, nil
	}
	who, err := patchset.Identity(ctx, "")
	if err != nil {
		return who, fmt.Errorf("no author: %w, or give --author 'A Person <person@example.org>'", err)
	}
	return who, nil
}
