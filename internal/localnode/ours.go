// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// BuildActor builds cmd/actor of the checkout at root as a static program at dst, for Config.Bin[ProgramActor]. The go
// command's cache makes a second call cheap; an unchanged program keeps its file.
func BuildActor(ctx context.Context, root, dst string) error {
	return buildStatic(ctx, root, "./cmd/actor", dst)
}

// BuildBeside builds cmd/beside in the same way, for Config.Bin[ProgramBeside].
func BuildBeside(ctx context.Context, root, dst string) error {
	return buildStatic(ctx, root, "./cmd/beside", dst)
}

func buildStatic(ctx context.Context, root, pkg, dst string) error {
	if err := os.MkdirAll(filepath.Dir(dst), 0o755); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", dst, pkg)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s in %s: %w\n%s", pkg, root, err, out)
	}
	return nil
}
