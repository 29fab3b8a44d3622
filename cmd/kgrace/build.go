// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/kubebuild"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

func newBuildCommand(app *app) *cobra.Command {
	var (
		minor, arm string
		arches     []string
		out        = newOutputFlag()
	)
	cmd := &cobra.Command{
		Use:   "build [program...]",
		Short: "Build the programs of a node",
		Long: `Build programs of a node and print their paths. Without names, build all of them: kubelet (of each arm), kube-apiserver,
kubectl, etcd, containerd, its shim, ctr, runc, crictl. Programs that versions.yaml pins for another use are built only by name.
Binaries that are up to date are not built again. Programs that a minor takes from Debian packages are looked up, not built.

--arch builds Kubernetes' own programs, which must be named, for other architectures, too: Go cross-compiles them, without cgo
and so without another compiler. They lie in linux-ARCH, beside the program for this machine.`,
		Example: "  kgrace build\n  kgrace build --arm fixed kubelet\n  kgrace build --arm fixed kubelet --arch amd64,arm64 --kubernetes v1.36",
		RunE: func(cmd *cobra.Command, programs []string) error {
			arms, err := armsOf(arm)
			if err != nil {
				return usage(err)
			}
			r, minor, err := app.seriesOf(minor)
			if err != nil {
				return err
			}
			known, err := kubebuild.New(r).Programs()
			if err != nil {
				return err
			}
			for _, name := range programs {
				if !slices.Contains(known, name) {
					return usage(tool.NewUnknown("program", name, "", known))
				}
			}
			if len(arches) > 0 && len(programs) == 0 {
				return usage(errors.New("--arch needs the names of programs: kgrace build --arch arm64 kubelet"))
			}
			for _, arch := range arches {
				if err := kubebuild.CheckArch(arch); err != nil {
					return usage(fmt.Errorf("--arch: %w", err))
				}
			}
			built, err := buildFor(cmd.Context(), r, minor, arms, programs, arches)
			if err != nil {
				return err
			}
			var rows [][]string
			for _, b := range built {
				state := "up to date"
				if b.Built {
					state = "built"
				} else if b.Debian != "" {
					state = "from Debian"
				}
				rows = append(rows, []string{b.Program, string(b.Arm), b.Version, b.Arch, state, b.Path})
			}
			return out.write(app.output, built, []string{"PROGRAM", "ARM", "VERSION", "ARCH", "STATE", "PATH"}, rows)
		},
	}
	addMinorFlag(cmd, &minor)
	addArmFlag(cmd, &arm)
	cmd.Flags().StringSliceVar(&arches, "arch", nil, "architectures: "+strings.Join(kubebuild.Arches, ", ")+" (default: this machine's)")
	cmd.Flags().VarP(&out, "output", "o", "output format")
	return cmd
}

// buildFor builds the programs for each architecture, or for this machine if none is given.
func buildFor(ctx context.Context, r *kubetree.Repo, minor string, arms []verdict.Arm, programs, arches []string) ([]kubebuild.Binary, error) {
	if len(arches) == 0 {
		return kubebuild.New(r).BuildAll(ctx, minor, arms, programs)
	}
	var all []kubebuild.Binary
	for _, arch := range arches {
		for _, program := range programs {
			for _, arm := range arms {
				b, err := kubebuild.New(r).BuildFor(ctx, minor, arm, program, arch)
				if err != nil {
					return nil, err
				}
				if all = append(all, b); b.Arm == "" {
					break // both arms share it
				}
			}
		}
	}
	return all, nil
}
