// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/tool"
)

// newest compares the pin of one minor with the module proxy.
type newest struct {
	Minor  string `json:"minor"`
	Pinned string `json:"pinned"`
	// Newest is the newest tag of the minor that the proxy lists; empty if it lists none.
	Newest string `json:"newest,omitempty"`
	Newer  bool   `json:"newer"`
	// Ahead means that the proxy does not list the pinned release: its list is older than versions.yaml, so it tells nothing.
	Ahead bool `json:"ahead,omitempty"`
}

func (r newest) state() string {
	switch {
	case r.Newer:
		return "newer"
	case r.Newest == "":
		return "unknown: the proxy lists no release of this minor"
	case r.Ahead:
		return "unknown: the proxy does not list the pinned one yet"
	}
	return "up to date"
}

func newReleasesCommand(app *app) *cobra.Command {
	out := newOutputFlag()
	newer := false
	cmd := &cobra.Command{
		Use:   "releases",
		Short: "List Kubernetes releases newer than the pinned ones",
		Long: `Ask the Go module proxy, with go list -m -versions, for Kubernetes releases, and print the pinned and the newest one of every
minor of versions.yaml. A pre-release counts only where the pinned one is a pre-release.

` + "`kgrace patch rebase --kubernetes MINOR --to TAG`" + ` moves a series to it.`,
		Example: "  kgrace releases\n  kgrace releases --newer -o json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := app.repo()
			if err != nil {
				return err
			}
			tags, err := kubernetesTags(cmd.Context(), r)
			if err != nil {
				return err
			}
			found := releasesOf(r, tags, newer)
			rows := [][]string{}
			for _, one := range found {
				rows = append(rows, []string{one.Minor, one.Pinned, one.Newest, one.state()})
			}
			return out.write(app.output, found, []string{"MINOR", "PINNED", "NEWEST", "STATE"}, rows)
		},
	}
	cmd.Flags().BoolVar(&newer, "newer", false, "list only minors with a newer release")
	cmd.Flags().VarP(&out, "output", "o", "output format")
	return cmd
}

// kubernetesTags lists all versions of Kubernetes' module. It runs go outside of any module.
func kubernetesTags(ctx context.Context, r *kubetree.Repo) ([]string, error) {
	dir, err := os.MkdirTemp("", "kgrace-releases-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	said, err := tool.Go(ctx, dir, r.Versions.Minors[r.Versions.Default].Go, nil, "list", "-m", "-versions", "k8s.io/kubernetes")
	if err != nil {
		return nil, err
	}
	// The first word is the module.
	return strings.Fields(said)[min(1, len(strings.Fields(said))):], nil
}

// releasesOf compares the pins with the tags. The result is never nil, so that JSON has a list.
func releasesOf(r *kubetree.Repo, tags []string, newer bool) []newest {
	found := []newest{}
	for _, minor := range r.Versions.MinorNames() {
		one := newest{Minor: minor, Pinned: r.Versions.Minors[minor].Kubernetes}
		one.Newest, one.Newer = r.Versions.Minors[minor].Newest(tags)
		one.Ahead = one.Newest != "" && semver.Compare(one.Newest, one.Pinned) < 0
		if one.Newer || !newer {
			found = append(found, one)
		}
	}
	return found
}
