// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/bare"
	"github.com/kgrace/kgrace/internal/kubetree"
)

// engineDir returns the directory of the engine that kgrace started.
func engineDir(r *kubetree.Repo) string { return filepath.Join(r.Output, "docker") }

func newImageSetupCommand(app *app) *cobra.Command {
	return &cobra.Command{
		Use:   "setup",
		Short: "Install and start a Docker engine, and the tools that build images",
		Long: `Use the running Docker engine or, as root on Debian, install and start one. The tools that build images from modules
(mmdebstrap, pigz) are installed too. If the machine lacks capabilities that privileged containers ask for, the engine gets a
runtime that leaves them out. The machine's former state is recorded for ` + "`kgrace image teardown`" + `.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := app.repo()
			if err != nil {
				return err
			}
			e, s, err := bare.Setup(cmd.Context(), bare.Config{Dir: engineDir(r), Root: r.Root, Progress: app.errs})
			if err != nil {
				return err
			}
			whose := "not started by kgrace: it is used and left alone"
			if s != nil {
				whose = fmt.Sprintf("started by kgrace, pid %d; `kgrace image teardown` stops it", s.PID)
			}
			fmt.Fprintf(app.output, "Docker %s (%s): %s\n", e.Version, e.Arch, whose)
			return nil
		},
	}
}

func newImageTeardownCommand(app *app) *cobra.Command {
	var force, purge bool
	cmd := &cobra.Command{
		Use:   "teardown",
		Short: "Stop the Docker engine that setup started, and restore the machine",
		Long: `Stop the engine that ` + "`kgrace image setup`" + ` started, by its pid, and restore and check the packet filter,
the bridges and the forwarding setting. Engines that kgrace did not start are never touched. Packages and images stay.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := app.repo()
			if err != nil {
				return err
			}
			s, err := bare.Teardown(cmd.Context(), engineDir(r), force, purge, app.errs)
			if errors.Is(err, bare.ErrNothing) {
				fmt.Fprintln(app.output, "nothing to take down: no engine was set up here")
				return nil
			}
			if err != nil {
				return err
			}
			stays := "its images stay in " + filepath.Join(engineDir(r), "data")
			if purge {
				stays = "its images are removed"
			}
			if len(s.Installed) > 0 {
				stays += "; so do the packages that were installed for it: " + strings.Join(s.Installed, " ")
			}
			fmt.Fprintf(app.output, "the engine is down, and the machine is as it was before; %s\n", stays)
			return nil
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "stop running containers")
	cmd.Flags().BoolVar(&purge, "purge", false, "remove the engine's images too")
	return cmd
}
