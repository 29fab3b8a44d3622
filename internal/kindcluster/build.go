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

package kindcluster

import (
	"context"
	"os"
	"path/filepath"

	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/tool"
)

// Build builds the static programs for a cluster, from the checkout at root, into the folder bin. The go command's cache
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
