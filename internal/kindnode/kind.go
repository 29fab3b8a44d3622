// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/docker"
	"github.com/kgrace/kgrace/internal/tool"
)

// kindBuild runs kind build node-image. It runs kind as a process because kind's packages ignore contexts and leave
// unpacked files in the temporary directory; here those are removed with the build.
func (b *builder) kindBuild(ctx context.Context, tarball, base, image string) error {
	args := []string{b.bin["kind"], "build", "node-image", "--type", "file", tarball, "--image", image, "--arch", b.arch}
	if base != "" {
		args = append(args, "--base-image", base)
	}
	tmp := filepath.Join(b.tmp, "kind")
	if err := os.Mkdir(tmp, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	// kind passes this variable on to the container that it builds in, and names that container only later. The mark
	// identifies the container if kind is killed in between.
	mark := "kgrace-build-" + b.token + ".invalid"
	noProxy := strings.Trim(os.Getenv("NO_PROXY")+","+mark, ",")
	defer removeMarked(ctx, b.e, mark)
	_, err := tool.Run(ctx, tool.Cmd{Dir: b.tmp, Env: append(os.Environ(), "TMPDIR="+tmp, "NO_PROXY="+noProxy), Args: args})
	var failed *tool.Error
	if errors.As(err, &failed) && strings.Contains(failed.Stderr, "pull") {
		return fmt.Errorf("%w\nkind pulls whatever the tarball lacks, including its base image; that needs a network (a build from modules pulls nothing)", err)
	}
	return err
}

// removeMarked removes the containers whose environment contains the mark.
func removeMarked(ctx context.Context, e *docker.Engine, mark string) {
	quick, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	ids, err := e.Docker(quick, "ps", "--all", "--quiet", "--filter", "name=kind-build-")
	if err != nil {
		return
	}
	for _, id := range strings.Fields(ids) {
		out, err := e.Docker(quick, "inspect", "--format", "{{json .Config.Env}}", id)
		var env []string
		if err != nil || json.Unmarshal([]byte(out), &env) != nil {
			continue // somebody else's, already gone
		}
		if slices.ContainsFunc(env, func(v string) bool { return strings.Contains(v, mark) }) {
			_ = e.RemoveContainer(ctx, id)
		}
	}
}
