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
