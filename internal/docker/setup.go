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
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
)

// Config says where an engine of ours lives.
type Config struct {
	// Dir is an absolute folder for its state: engine.json, the log, and in data the images. One engine a folder.
	Dir string
	// Root is the checkout that runcless is built from.
	Root string
	// Progress gets a line a step; nil is silent.
	Progress io.Writer
}

// Setup gives the machine an engine: the one that runs, or one that it installs and starts. It returns the engine, and the
// state of the one that it started, or nil for somebody else's. What building an image takes beside an engine is installed
// too. Failed or interrupted, it puts the machine back as it was, but for installed packages.
func Setup(ctx context.Context, c Config) (*Engine, *State, error) {
	s, err := load(c.Dir)
	if err != nil {
		return nil, nil, err
	}
	e, err := Find(ctx)
	if err == nil {
		if err := install(ctx, missing(imageNeeds, lookAdmin), c.Progress); err != nil {
			return nil, nil, err
		}
		if s != nil && !s.running() {
			// Ours died and another was started since: what there was before ours is no longer what to go back to.
			return nil, nil, fmt.Errorf("an engine runs that is not the one of %s, which ended without `kgrace image teardown`; stop it, run the teardown, and start again", c.Dir)
		}
		return e, s, nil
	}
	if !IsNotHere(err) {
		return nil, nil, err
	}
	if os.Geteuid() != 0 {
		return nil, nil, fmt.Errorf("%w\nsetup starts one as root only", err)
	}
	if host := os.Getenv("DOCKER_HOST"); host != "" && host != "unix://"+socket {
		return nil, nil, fmt.Errorf("%w\nDOCKER_HOST is %s: setup starts an engine at unix://%s only; unset it", err, host, socket)
	}
	if s != nil {
		say(c.Progress, "the engine of %s ended by itself; putting the machine back first", c.Dir)
		if err := s.takeDown(ctx, c.Progress); err != nil {
			return nil, nil, err
		}
	}
	return start(ctx, c)
}

func start(ctx context.Context, c Config) (_ *Engine, _ *State, err error) {
	packages := missing(append(engineNeeds, imageNeeds...), lookAdmin)
	if err := install(ctx, packages, c.Progress); err != nil {
		return nil, nil, err
	}
	// A package may have started one.
	if e, err := Find(ctx); err == nil {
		return e, nil, nil
	}
	if err := os.MkdirAll(c.Dir, 0o711); err != nil {
		return nil, nil, err
	}
	s := &State{dir: c.Dir, Installed: packages}
	if s.Before, err = look(ctx); err != nil {
		return nil, nil, err
	}
	lacks, err := lackingCapabilities("/proc/self/status")
	if err != nil {
		return nil, nil, err
	}
	if len(lacks) > 0 {
		s.Runtime = "this machine lacks " + strings.Join(lacks, ", ")
		say(c.Progress, "%s: containers get a runtime that leaves it out", s.Runtime)
		if err := buildRuncless(ctx, c); err != nil {
			return nil, nil, err
		}
	}
	if err := writeConfig(c.Dir, s.Runtime != ""); err != nil {
		return nil, nil, err
	}
	// Before the process: whatever happens from here on, teardown knows what to go back to.
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
	e, err := Find(ctx)
	return e, s, err
}

// buildRuncless builds cmd/runcless of the checkout as a static program.
func buildRuncless(ctx context.Context, c Config) error {
	_, err := tool.Run(ctx, tool.Cmd{Dir: c.Root, Env: append(os.Environ(), "CGO_ENABLED=0"), Args: []string{
		"go", "build", "-trimpath", "-buildvcs=false", "-o", filepath.Join(c.Dir, "runcless"), "./cmd/runcless"}})
	return err
}
