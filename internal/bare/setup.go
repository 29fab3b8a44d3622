// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package bare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/moby/sys/capability"

	"github.com/kgrace/kgrace/internal/docker"
	"github.com/kgrace/kgrace/internal/tool"
)

// Config describes where our own engine lives.
type Config struct {
	// Dir is an absolute directory for its state: engine.json, the log, and in data the images. There is one engine per directory.
	Dir string
	// Root is the checkout that runcless is built from.
	Root string
	// Progress receives one line per step; nil discards them.
	Progress io.Writer
}

// Setup provides an engine: the running one, or one that it installs and starts. It returns the engine, and its state if
// Setup started it, or nil for any other engine. It also installs what building an image needs besides an engine. If it
// fails or is interrupted, it restores the machine, except for installed packages.
func Setup(ctx context.Context, c Config) (*docker.Engine, *State, error) {
	s, err := load(c.Dir)
	if err != nil {
		return nil, nil, err
	}
	e, err := docker.Find(ctx)
	if err == nil {
		if err := install(ctx, missing(imageNeeds, lookAdmin), c.Progress); err != nil {
			return nil, nil, err
		}
		if s != nil && !s.running() {
			// Ours died and another one was started since: the state recorded before ours is no longer the one to restore.
			return nil, nil, fmt.Errorf("an engine runs that is not the one of %s, which ended without `kgrace image teardown`; stop the running one, run the teardown, and start again", c.Dir)
		}
		return e, s, nil
	}
	if !docker.IsNotHere(err) {
		return nil, nil, err
	}
	if os.Geteuid() != 0 {
		return nil, nil, fmt.Errorf("%w\nstarting one needs root", err)
	}
	if host := os.Getenv("DOCKER_HOST"); host != "" && host != "unix://"+socket {
		return nil, nil, fmt.Errorf("%w\nDOCKER_HOST is %s: setup only starts an engine at unix://%s; unset DOCKER_HOST", err, host, socket)
	}
	if s != nil {
		say(c.Progress, "the engine of %s ended by itself; restoring the machine first", c.Dir)
		if err := s.takeDown(ctx, c.Progress); err != nil {
			return nil, nil, err
		}
	}
	return start(ctx, c)
}

func start(ctx context.Context, c Config) (_ *docker.Engine, _ *State, err error) {
	packages := missing(append(engineNeeds, imageNeeds...), lookAdmin)
	if err := install(ctx, packages, c.Progress); err != nil {
		return nil, nil, err
	}
	// Installing a package may have started one.
	if e, err := docker.Find(ctx); err == nil {
		return e, nil, nil
	}
	if err := os.MkdirAll(c.Dir, 0o711); err != nil {
		return nil, nil, err
	}
	s := &State{dir: c.Dir, Installed: packages}
	if s.Before, err = look(ctx); err != nil {
		return nil, nil, err
	}
	own, err := capability.NewPid2(0)
	if err == nil {
		err = own.Load()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("capabilities of this process: %w", err)
	}
	if lacks := lackingCapabilities(own); len(lacks) > 0 {
		s.Runtime = "this machine lacks " + strings.Join(lacks, ", ")
		say(c.Progress, "%s: containers get a runtime that drops them", s.Runtime)
		if err := buildRuncless(ctx, c); err != nil {
			return nil, nil, err
		}
	}
	if err := writeConfig(c.Dir, s.Runtime != ""); err != nil {
		return nil, nil, err
	}
	// Before the process starts: from here on, teardown knows what to restore.
	if err := s.save(); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.takeDown(context.WithoutCancel(ctx), c.Progress))
		}
	}()
	say(c.Progress, "starting dockerd; its log is %s", filepath.Join(c.Dir, logFile))
	if err := s.startDaemon(ctx); err != nil {
		return nil, nil, err
	}
	e, err := docker.Find(ctx)
	return e, s, err
}

// buildRuncless builds the command runcless of the checkout as a static program.
func buildRuncless(ctx context.Context, c Config) error {
	_, err := tool.Run(ctx, tool.Cmd{Dir: c.Root, Env: append(os.Environ(), "CGO_ENABLED=0"), Args: []string{
		"go", "build", "-trimpath", "-buildvcs=false", "-o", filepath.Join(c.Dir, "runcless"), "./internal/bare/runcless"}})
	return err
}
