// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"context"
	"path/filepath"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/kindcluster"
	"github.com/kgrace/kgrace/internal/podspec"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Clusters describes the clusters of the kind level.
type Clusters struct {
	// Images maps each arm to its node image.
	Images map[verdict.Arm]string `json:"images"`
	// Prefix is the prefix of the clusters' names; the arm follows.
	Prefix string `json:"prefix"`
	// Programs are the programs for a cluster's worker.
	kindcluster.Programs
}

// openCluster creates the arm's cluster. Logs of a cluster that fails are stored below the artifacts directory.
func (r *Run) openCluster(ctx context.Context, arm verdict.Arm, record history.Sink) (Place, error) {
	clusters := r.options.Clusters
	cluster, err := kindcluster.Up(ctx, kindcluster.Config{
		Name: clusters.Prefix + "-" + string(arm), Image: clusters.Images[arm], Programs: clusters.Programs,
		LinesSocket: podspec.LinesSocket, Record: record, Log: progress{r},
		Logs: filepath.Join(r.options.Artifacts, LogsPath(scenario.LevelKind, arm)),
	})
	if err != nil {
		return nil, err
	}
	return cluster, nil
}
