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

package docker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/tool"
)

// Image is what the engine knows of an image.
type Image struct {
	ID          string   `json:"Id"` // sha256 of its configuration, "sha256:…"
	RepoTags    []string // names it has
	RepoDigests []string // names with the digest that a registry gave it
	Arch        string   `json:"Architecture"`
	Size        int64    // bytes
	Config      struct {
		Labels     map[string]string
		Env        []string
		Entrypoint []string
	}
}

// Inspect looks an image up. It returns nil for one that is not here.
func (e *Engine) Inspect(ctx context.Context, image string) (*Image, error) {
	out, err := e.Docker(ctx, "image", "inspect", image)
	if err != nil {
		if ctx.Err() == nil && strings.Contains(strings.ToLower(err.Error()), "no such image") {
			return nil, nil
		}
		return nil, err
	}
	var all []Image
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) != 1 {
		return nil, fmt.Errorf("docker image inspect %s: output not understood (%v)", image, err)
	}
	return &all[0], nil
}

// Import makes an image of one layer out of a tar. The changes are lines as of a Dockerfile.
func (e *Engine) Import(ctx context.Context, tar io.Reader, image string, changes ...string) error {
	args := []string{"docker", "import"}
	for _, c := range changes {
		args = append(args, "--change", c)
	}
	_, err := tool.Run(ctx, tool.Cmd{Dir: os.TempDir(), Env: os.Environ(), Args: append(args, "-", image), Stdin: tar})
	return err
}

// Untag takes a name off an image, which goes with its last name unless others are built on it. A name that is not there
// is fine. It works on after ctx ends: it is what cleaning up is done with.
func (e *Engine) Untag(ctx context.Context, image string) error {
	ctx, cancel := cleanup(ctx)
	defer cancel()
	if _, err := e.Docker(ctx, "image", "rm", "--no-prune", image); err != nil && !strings.Contains(strings.ToLower(err.Error()), "no such image") {
		return err
	}
	return nil
}

// Remove is Untag that also removes what the image alone was built on and nobody named.
func (e *Engine) Remove(ctx context.Context, image string) error {
	ctx, cancel := cleanup(ctx)
	defer cancel()
	if _, err := e.Docker(ctx, "image", "rm", image); err != nil && !strings.Contains(strings.ToLower(err.Error()), "no such image") {
		return err
	}
	return nil
}

// Prune removes images with the label that lost their names and that nothing runs of or is built on.
func (e *Engine) Prune(ctx context.Context, label string) error {
	_, err := e.Docker(ctx, "image", "prune", "--force", "--filter", "label="+label)
	return err
}

// RemoveContainer ends and removes a container and its volumes. One that is not there is fine. It works on after ctx ends.
func (e *Engine) RemoveContainer(ctx context.Context, container string) error {
	ctx, cancel := cleanup(ctx)
	defer cancel()
	if _, err := e.Docker(ctx, "rm", "--force", "--volumes", container); err != nil && !strings.Contains(strings.ToLower(err.Error()), "no such container") {
		return err
	}
	return nil
}

// Derive makes an image of another one by putting files into it, without running anything of it. files is a tar, laid over
// the root folder; stopSignal is what ends a container of it. Interrupted, it leaves neither a container nor an image.
func (e *Engine) Derive(ctx context.Context, from, image string, files io.Reader, stopSignal string, changes ...string) error {
	container := "kgrace-derive-" + Token()
	defer e.RemoveContainer(ctx, container)
	// It is never started. The stop signal is the one setting that an image takes over from its container alone.
	if _, err := e.Docker(ctx, "create", "--name", container, "--stop-signal", stopSignal, from); err != nil {
		return err
	}
	if _, err := tool.Run(ctx, tool.Cmd{Dir: os.TempDir(), Env: os.Environ(), Args: []string{"docker", "cp", "-", container + ":/"}, Stdin: files}); err != nil {
		return err
	}
	args := []string{"commit"}
	for _, c := range changes {
		args = append(args, "--change", c)
	}
	_, err := e.Docker(ctx, append(args, container, image)...)
	return err
}

// Token is a name that nobody else has.
func Token() string {
	b := make([]byte, 6)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// cleanup is a context for what must be done even when ctx has ended.
func cleanup(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
}
