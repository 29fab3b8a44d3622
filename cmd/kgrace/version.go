// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// built describes a kgrace and what it works on.
type built struct {
	// Version is the module's version, or (devel) in a checkout. Commit is empty if the build did not record it.
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Checkout is the directory that commands work on, with its pins; both are empty outside of a checkout.
	Checkout string   `json:"checkout,omitempty"`
	Minors   []pinned `json:"minors,omitempty"`
}

type pinned struct {
	Minor string `json:"minor"`
	Stock string `json:"stock"`
	Fixed string `json:"fixed"`
}

func newVersionCommand(app *app) *cobra.Command {
	out := newOutputFlag()
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of kgrace and the kubelets that it builds",
		Long: `Print the version of this program and, in a checkout, the version of the stock and the fixed kubelet of every
minor: what ` + "`kubelet --version`" + ` prints on a node.`,
		Example: "  kgrace version\n  kgrace version -o json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := app.version()
			rows := [][]string{{"go", b.Go}, {"platform", b.Platform}}
			if b.Commit != "" {
				rows = append(rows, []string{"commit", b.Commit})
			}
			if b.Checkout != "" {
				rows = append(rows, []string{"checkout", b.Checkout})
			}
			for _, m := range b.Minors {
				rows = append(rows, []string{m.Minor, fmt.Sprintf("stock %s, fixed %s", m.Stock, m.Fixed)})
			}
			return out.write(app.output, b, []string{"kgrace", b.Version}, rows)
		},
	}
	cmd.Flags().VarP(&out, "output", "o", "output format")
	return cmd
}

func (a *app) version() built {
	b := built{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			b.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	// Outside of a checkout there are no pins to print.
	r, err := a.repo()
	if err != nil {
		return b
	}
	b.Checkout = r.Root
	for _, minor := range r.Versions.MinorNames() {
		m := r.Versions.Minors[minor]
		b.Minors = append(b.Minors, pinned{minor, m.Kubernetes, m.FixedVersion()})
	}
	return b
}
