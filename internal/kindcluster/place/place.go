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

// Package place makes kind clusters the places that package regress runs scenarios on.
package place

import (
	"context"
	"io"
	"path/filepath"

	"github.com/kgrace/kgrace/internal/cast"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/kindcluster"
	"github.com/kgrace/kgrace/internal/regress"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Opener makes a cluster for each arm. What a cluster that fails logged is kept below the artifacts folder.
func Opener(clusters regress.Clusters, artifacts string, log io.Writer) regress.Opener {
	return func(ctx context.Context, arm verdict.Arm, record history.Sink) (regress.Place, error) {
		cluster, err := kindcluster.Up(ctx, kindcluster.Config{
			Name: Name(clusters, arm), Image: clusters.Images[arm], Programs: kindcluster.Programs(clusters.Programs),
			LinesSocket: cast.LinesSocket, Record: record, Log: log,
			Logs: filepath.Join(artifacts, regress.LogsPath(scenario.LevelKind, arm)),
		})
		if err != nil {
			return nil, err
		}
		return cluster, nil
	}
}

// Name is the name of an arm's cluster.
func Name(clusters regress.Clusters, arm verdict.Arm) string {
	return clusters.Prefix + "-" + string(arm)
}
