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

	"github.com/kgrace/kgrace/internal/docker"
)

// ErrNothing means that there is no engine of ours to take down.
var ErrNothing = errors.New("no engine was set up here")

// Teardown stops the engine that Setup started in dir and restores packet filter, bridges and forwarding, and checks the
// result. Installed packages and the engine's images stay; purge removes the images. Running containers are an error,
// unless force stops them with the engine. Rules that others added to the packet filter while the engine ran are lost.
func Teardown(ctx context.Context, dir string, force, purge bool, progress io.Writer) (*State, error) {
	s, err := load(dir)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, ErrNothing
	}
	if os.Geteuid() != 0 {
		return nil, errors.New("not root; taking the engine down needs root, like setting it up")
	}
	if s.running() && !force {
		if e, err := docker.Find(ctx); err == nil {
			names, err := e.Docker(ctx, "ps", "--format", "{{.Names}}")
			if err != nil {
				return nil, err
			}
			if names != "" {
				return nil, fmt.Errorf("containers run in it: %s; delete the clusters first, or stop them with the engine (--force)", strings.Join(strings.Fields(names), ", "))
			}
		}
	}
	if err := s.takeDown(ctx, progress); err != nil {
		return s, err
	}
	if purge {
		say(progress, "removing its images")
		if err := os.RemoveAll(filepath.Join(dir, "data")); err != nil {
			return s, err
		}
	}
	return s, nil
}

// takeDown stops the daemon and restores the machine. The state file goes last, so that a failed teardown can be repeated.
func (s *State) takeDown(ctx context.Context, progress io.Writer) error {
	if s.PID != 0 && !s.running() {
		// It was killed, so containers, mounts and its network setup are still there. The engine itself can clear them up best.
		say(progress, "the engine ended by itself; starting it again, so that it clears up its leftovers")
		if err := s.stopContainerd(); err != nil {
			return err
		}
		if err := s.startDaemon(ctx); err != nil {
			say(progress, "it does not start: %v", err)
		}
	}
	say(progress, "stopping the engine")
	if err := s.stopDaemon(); err != nil {
		return err
	}
	if err := errors.Join(s.stopContainerd(), s.unmount()); err != nil {
		return err
	}
	if err := s.Before.putBack(ctx); err != nil {
		return err
	}
	say(progress, "packet filter, bridges and forwarding are restored")
	return os.Remove(filepath.Join(s.dir, stateFile))
}
