/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/tool"
)

func newBuildCommand(app *app) *cobra.Command {
	var (
		minor, arm string
		out        = newOutputFlag()
	)
	cmd := &cobra.Command{
		Use:   "build [program...]",
		Short: "Build the programs of a node",
		Long: `Build programs of a node and print their paths. Without names, build all of them: kubelet (of each arm), kube-apiserver,
kubectl, etcd, containerd, its shim, ctr, runc, crictl. Programs that versions.yaml pins for another use are built only by name.
Binaries that are up to date are not built again. Programs that a minor takes from Debian packages are looked up, not built.`,
		Example: "  kgrace build\n  kgrace build --arm fixed kubelet",
		RunE: func(cmd *cobra.Command, programs []string) error {
			arms, err := armsOf(arm)
			if err != nil {
				return usage(err)
			}
			r, err := app.repo()
			if err != nil {
				return err
			}
			if _, err := r.Versions.Minor(minor); err != nil {
				return usage(err)
			}
			known, err := r.Programs()
			if err != nil {
				return err
			}
			for _, name := range programs {
				if !slices.Contains(known, name) {
					return usage(tool.NewUnknown("program", name, "", known))
				}
			}
			built, err := r.BuildAll(cmd.Context(), minor, arms, programs)
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
				rows = append(rows, []string{b.Program, string(b.Arm), b.Version, state, b.Path})
			}
			return out.write(app.output, built, []string{"PROGRAM", "ARM", "VERSION", "STATE", "PATH"}, rows)
		},
	}
	addMinorFlag(cmd, &minor)
	addArmFlag(cmd, &arm)
	cmd.Flags().VarP(&out, "output", "o", "output format")
	return cmd
}
