// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/tool"
)

// Image is the engine's description of an image.
type Image struct {
	ID          string   `json:"Id"` // sha256 of its configuration, "sha256:…"
	RepoTags    []string // its names
	RepoDigests []string // names with a registry's digest
	Arch        string   `json:"Architecture"`
	Size        int64    // bytes
	Config      struct {
		Labels     map[string]string
		Env        []string
		Entrypoint []string
	}
}

// Inspect returns the description of an image, or nil if the engine does not have it.
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

// Import creates an image of one layer from a tar. The changes are Dockerfile instructions.
func (e *Engine) Import(ctx context.Context, tar io.Reader, image string, changes ...string) error {
	args := []string{"docker", "import"}
	for _, c := range changes {
		args = append(args, "--change", c)
	}
	_, err := tool.Run(ctx, tool.Cmd{Dir: os.TempDir(), Env: os.Environ(), Args: append(args, "-", image), Stdin: tar})
	return err
}

// Save writes an image to a file, in the format of docker save, atomically: docker load, podman load and kind load
// image-archive read it.
func (e *Engine) Save(ctx context.Context, file, image string) error {
	tmp, err := os.MkdirTemp(filepath.Dir(file), ".kgrace-save-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	new, err := filepath.Abs(filepath.Join(tmp, "image.tar")) // the command runs in another directory
	if err != nil {
		return err
	}
	if _, err := e.Docker(ctx, "save", "--output", new, image); err != nil {
		return err
	}
	// docker writes a file for its owner only.
	if err := os.Chmod(new, 0o644); err != nil {
		return err
	}
	return os.Rename(new, file)
}

// Untag removes a name of an image; the image is removed with its last name unless other images are built on it. It is not
// an error if the name does not exist. Untag works even after ctx ends, because it is used for cleanup.
func (e *Engine) Untag(ctx context.Context, image string) error {
	ctx, cancel := cleanup(ctx)
	defer cancel()
	if _, err := e.Docker(ctx, "image", "rm", "--no-prune", image); err != nil && !strings.Contains(strings.ToLower(err.Error()), "no such image") {
		return err
	}
	return nil
}

// Prune removes images with the label that have no name, no container and no image built on them.
func (e *Engine) Prune(ctx context.Context, label string) error {
	_, err := e.Docker(ctx, "image", "prune", "--force", "--filter", "label="+label)
	return err
}

// RemoveContainer kills and removes a container and its volumes. It is not an error if the container does not exist.
// RemoveContainer works even after ctx ends.
func (e *Engine) RemoveContainer(ctx context.Context, container string) error {
	ctx, cancel := cleanup(ctx)
	defer cancel()
	if _, err := e.Docker(ctx, "rm", "--force", "--volumes", container); err != nil && !strings.Contains(strings.ToLower(err.Error()), "no such container") {
		return err
	}
	return nil
}

// Derive creates an image from another one by adding files, without running it. files is a tar that is extracted over the
// root directory; stopSignal is the signal that stops a container of the image. After an interrupt neither a container nor an
// image is left.
func (e *Engine) Derive(ctx context.Context, from, image string, files io.Reader, stopSignal string, changes ...string) error {
	container := "kgrace-derive-" + Token()
	defer e.RemoveContainer(ctx, container)
	// It is never started. The stop signal is the only setting that an image can inherit only from its container.
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

// Token returns a unique name.
func Token() string {
	b := make([]byte, 6)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// cleanup returns a context for work that must be done even when ctx has ended.
func cleanup(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
}
