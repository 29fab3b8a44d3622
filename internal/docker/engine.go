// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
)

// Engine is a Docker engine that responds.
type Engine struct {
	Version string // of the server
	Arch    string // of the server, as GOARCH: amd64, arm64
}

// NotHereError reports that there is no usable engine, and how to get one.
type NotHereError struct {
	Why string // what was found in its place
	Way string // what to do
}

func (e *NotHereError) Error() string { return e.Why + "; " + e.Way }

// IsNotHere reports whether there is no engine, as opposed to one that failed.
func IsNotHere(err error) bool {
	var missing *NotHereError
	return errors.As(err, &missing)
}

const wayToAnEngine = "start one, point DOCKER_HOST at one, or, as root on Debian, run `kgrace image setup` to install and start one"

// Find queries the engine that the docker command is configured for. If there is none, the error is a *NotHereError: no
// docker command, no server, no permission to connect, or Podman in its place.
func Find(ctx context.Context) (*Engine, error) {
	if _, err := exec.LookPath("docker"); err != nil {
		if podman, err := exec.LookPath("podman"); err == nil {
			return nil, &NotHereError{"there is no docker command; " + podman + " is installed, but node images and clusters need Docker", wayToAnEngine}
		}
		return nil, &NotHereError{"there is no docker command", wayToAnEngine}
	}
	out, err := run(ctx, "version", "--format", "{{json .}}")
	if ctx.Err() != nil {
		return nil, err
	}
	e, parseErr := parseVersion(out)
	switch {
	case IsNotHere(parseErr):
		return nil, parseErr
	case err != nil:
		return nil, explain(err)
	case parseErr != nil:
		return nil, parseErr
	}
	return e, nil
}

// parseVersion parses the JSON output of docker version. A client that found no server prints it too: Server is null then.
func parseVersion(out string) (*Engine, error) {
	var v struct {
		Client struct{ Version string }
		Server *struct {
			Version    string
			Arch       string
			Components []struct{ Name string }
		}
	}
	if err := json.Unmarshal([]byte(strings.TrimSpace(out)), &v); err != nil {
		return nil, fmt.Errorf("docker version: output not understood: %w", err)
	}
	if v.Server == nil {
		return nil, errors.New("docker version: no server")
	}
	for _, c := range v.Server.Components {
		if strings.Contains(c.Name, "Podman") {
			return nil, &NotHereError{"the docker command connects to Podman " + v.Server.Version + "; node images and clusters need Docker", wayToAnEngine}
		}
	}
	return &Engine{Version: v.Server.Version, Arch: v.Server.Arch}, nil
}

// explain turns the client's error about a server that it cannot connect to into a *NotHereError with a remedy.
func explain(err error) error {
	var failed *tool.Error
	if !errors.As(err, &failed) {
		return err
	}
	said := strings.TrimSpace(failed.Stderr)
	switch {
	case strings.Contains(said, "permission denied"):
		return &NotHereError{"no permission to connect to the Docker engine: " + lastLine(said), "run as root, or as a member of the group that owns its socket"}
	case strings.Contains(said, "Cannot connect"), strings.Contains(said, "error during connect"), strings.Contains(said, "failed to connect"):
		return &NotHereError{"no Docker engine is running: " + lastLine(said), wayToAnEngine}
	}
	return err
}

func lastLine(s string) string {
	return s[strings.LastIndex(s, "\n")+1:]
}

// Docker runs the docker command and returns its standard output. When ctx ends, so does the command; the engine may still
// carry out the request.
func (e *Engine) Docker(ctx context.Context, args ...string) (string, error) {
	out, err := run(ctx, args...)
	return strings.TrimSpace(out), err
}

func run(ctx context.Context, args ...string) (string, error) {
	return tool.Run(ctx, tool.Cmd{Dir: os.TempDir(), Env: os.Environ(), Args: append([]string{"docker"}, args...)})
}
