// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/kubebuild"
	"github.com/kgrace/kgrace/internal/release"
)

func newReleaseCommand(app *app) *cobra.Command {
	var (
		o   release.Options
		out = newOutputFlag()
	)
	cmd := &cobra.Command{
		Use:   "release",
		Short: "Write a directory from which a minor's fixed kubelet can be installed",
		Long: `Write a directory from which the fixed kubelet of a minor can be installed on the nodes of a kubeadm cluster, and print its files:
a static kubelet for each architecture, a systemd drop-in, INSTALL.md with the commands to install and to roll back, the patches as
one file for git am, an SPDX document, an unsigned statement of provenance (in-toto, SLSA), and SHA256SUMS. Kubelets that are
missing are built first.

The same inputs (versions.yaml, patches, the commit of this checkout) give the same bytes on any machine. An earlier release in the
directory is replaced.`,
		Example: "  kgrace release\n  kgrace release --kubernetes v1.36 --to ~/releases\n  kgrace release --arch amd64 -o json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, arch := range o.Arches {
				if err := kubebuild.CheckArch(arch); err != nil {
					return usage(fmt.Errorf("--arch: %w", err))
				}
			}
			r, err := app.repo()
			if err != nil {
				return err
			}
			if _, err := r.Versions.Minor(o.Minor); err != nil {
				return usage(err)
			}
			if o.Repo = r; o.To == "" {
				o.To = filepath.Join(r.Output, "release")
			}
			result, err := release.Build(cmd.Context(), o)
			if err != nil {
				return err
			}
			rows := [][]string{}
			for _, f := range result.Files {
				rows = append(rows, []string{f.SHA256, fmt.Sprint(f.Size), filepath.Join(result.Dir, f.Name)})
			}
			return out.write(app.output, result, []string{"SHA256", "BYTES", result.Version}, rows)
		},
	}
	addMinorFlag(cmd, &o.Minor)
	cmd.Flags().StringSliceVar(&o.Arches, "arch", nil, "architectures of the kubelets (default: "+strings.Join(kubebuild.Arches, ",")+")")
	cmd.Flags().StringVar(&o.To, "to", "", "directory that receives the release, in a directory named after the minor (default: release in the output directory)")
	cmd.Flags().VarP(&out, "output", "o", "output format")
	return cmd
}
