// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindcluster

import (
	"context"
	"os"
	"path/filepath"

	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/tool"
)

// Build builds the static programs for a cluster, from the checkout at root, into the directory bin. The go command's cache
// makes a second call cheap.
func Build(ctx context.Context, root, toolchain, bin string) (Programs, error) {
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return Programs{}, err
	}
	p := Programs{Recorder: filepath.Join(bin, "crirecord"), Beside: filepath.Join(bin, "beside"), Actor: filepath.Join(bin, "actor")}
	if _, err := tool.Go(ctx, root, toolchain, nil, "build", "-o", p.Recorder, "./cmd/crirecord"); err != nil {
		return Programs{}, err
	}
	if err := localnode.BuildBeside(ctx, root, p.Beside); err != nil {
		return Programs{}, err
	}
	return p, localnode.BuildActor(ctx, root, p.Actor)
}
