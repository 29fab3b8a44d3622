// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/actor"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/history/lines"
)

// Labels that the kubelet sets on its sandboxes and containers.
const (
	podLabel       = "io.kubernetes.pod.name"
	containerLabel = "io.kubernetes.container.name"
)

// unstartedCode is the exit code of a container's init process that gets a signal before it becomes the program.
const unstartedCode = 2

// container is one container. Its fields need the runtime's lock.
type container struct {
	rt      *Runtime
	id      string
	sandbox *sandbox
	owner   owner
	config  *runtimev1.ContainerConfig

	state                      runtimev1.ContainerState
	created, started, finished time.Time
	exitCode                   int32
	told                       bool // the exit was recorded
	reason, message            string
	// starting is closed when the start under way is over; nil if there is none.
	starting chan struct{}

	// main is the main process after its start; execs are the other live processes.
	main  *process
	execs map[*process]bool
	// stopped is closed when the main process has exited.
	stopped chan struct{}

	// termSent is containerd's record that a stop with a timeout has sent TERM.
	termSent bool
	// loop is CRI-O's running stop loop; nil if there is none.
	loop *stopLoop
	// removal is closed when the last removal that came to CRI-O is over; nil if none came.
	removal chan struct{}
	// unmounted records that CRI-O unmounted the root filesystem while the container ran.
	unmounted bool
}

// ownerOf returns the pod and the container of a configuration.
func ownerOf(config *runtimev1.ContainerConfig, sandbox *runtimev1.PodSandboxConfig) owner {
	o := owner{config.GetLabels()[podLabel], config.GetLabels()[containerLabel]}
	if o.pod == "" {
		o.pod = sandbox.GetMetadata().GetName()
	}
	if o.container == "" {
		o.container = config.GetMetadata().GetName()
	}
	return o
}

// container returns the container with the given id. mu is held.
func (rt *Runtime) container(id string) (*container, error) {
	c, ok := rt.containers.get(id)
	if !ok {
		return nil, fmt.Errorf("an error occurred when try to find container %q: %w", id, errNotFound)
	}
	return c, nil
}

// CreateContainer creates a container in a sandbox. It does not check that the sandbox is ready; StartContainer does.
func (rt *Runtime) CreateContainer(ctx context.Context, sandboxID string, config *runtimev1.ContainerConfig, sandboxConfig *runtimev1.PodSandboxConfig) (string, error) {
	request := &runtimev1.CreateContainerRequest{PodSandboxId: sandboxID, Config: config, SandboxConfig: sandboxConfig}
	return call(ctx, rt, method{name: "CreateContainer", limit: patience}, request, func(context.Context) (string, error) {
		rt.mu.Lock()
		defer rt.mu.Unlock()
		s, err := rt.sandbox(sandboxID)
		if err != nil {
			return "", err
		}
		if config.GetMetadata().GetName() == "" {
			return "", errors.New("container config must include metadata with a name")
		}
		for _, other := range rt.containers.all() {
			m := other.config.GetMetadata()
			if other.sandbox == s && m.GetName() == config.GetMetadata().GetName() && m.GetAttempt() == config.GetMetadata().GetAttempt() {
				return "", fmt.Errorf("failed to reserve container name %q: name is reserved for %q", m.GetName(), other.id)
			}
		}
		if _, ok := rt.images[config.GetImage().GetImage()]; !ok {
			return "", fmt.Errorf("failed to get image %q: %w", config.GetImage().GetImage(), errNotFound)
		}
		c := &container{
			rt: rt, id: rt.newID("container"), sandbox: s, owner: ownerOf(config, sandboxConfig), config: config,
			state: runtimev1.ContainerState_CONTAINER_CREATED, created: time.Now(),
			execs: map[*process]bool{}, stopped: make(chan struct{}),
		}
		rt.containers.add(c.id, c)
		rt.owners[c.id] = c.owner
		rt.announce(c.id, s, runtimev1.ContainerEventType_CONTAINER_CREATED_EVENT)
		return c.id, nil
	})
}

// StartContainer runs the container's program.
func (rt *Runtime) StartContainer(ctx context.Context, id string) error {
	_, err := call(ctx, rt, method{name: "StartContainer", limit: patience}, &runtimev1.StartContainerRequest{ContainerId: id}, func(ctx context.Context) (any, error) {
		rt.mu.Lock()
		c, err := rt.container(id)
		if err == nil {
			err = c.mayStart()
		}
		if err != nil {
			rt.mu.Unlock()
			return nil, err
		}
		over := make(chan struct{})
		defer close(over)
		c.starting = over
		rt.mu.Unlock()
		err = pause(ctx, rt.options.StartLatency)
		rt.mu.Lock()
		defer rt.mu.Unlock()
		c.starting = nil
		if err == nil {
			err = c.start()
		}
		if err != nil {
			c.startFailed(err)
		}
		return nil, err
	})
	return err
}

func (c *container) mayStart() error {
	switch {
	case c.state != runtimev1.ContainerState_CONTAINER_CREATED:
		return fmt.Errorf("failed to set starting state for container %q: container is in %s state", c.id, c.state)
	case c.starting != nil:
		return fmt.Errorf("failed to set starting state for container %q: container is already in starting state", c.id)
	}
	return nil
}

func (c *container) start() error {
	if !c.sandbox.ready {
		return fmt.Errorf("sandbox container %q is not running", c.sandbox.id)
	}
	as, program, err := c.mainProgram()
	if err != nil {
		return fmt.Errorf("failed to create containerd task: OCI runtime create failed: unable to start container process: %w", err)
	}
	c.main = c.rt.newProcess(as, program)
	c.main.onEnd = c.exited
	c.state, c.started = runtimev1.ContainerState_CONTAINER_RUNNING, time.Now()
	c.rt.announce(c.id, c.sandbox, runtimev1.ContainerEventType_CONTAINER_STARTED_EVENT)
	c.main.run()
	return nil
}

// mainProgram returns the behaviour of the main process and the owner of its lines.
func (c *container) mainProgram() (owner, Program, error) {
	if program, ok := c.rt.programs[c.owner]; ok {
		return c.owner, program, nil
	}
	cmd, err := parseCommand(c.argv(), c.config.GetEnvs())
	var bad *usageError
	switch {
	case errors.As(err, &bad):
		return owner{}, Program{Brief: true, ExitCode: actor.ExitUsage}, nil
	case err != nil:
		return owner{}, Program{}, err
	case cmd.Verb == "pause":
		return owner{}, Program{}, nil
	case cmd.Verb != "run":
		return owner{}, Program{}, fmt.Errorf("the simulated runtime does not run %q as a main process", "actor "+cmd.Verb)
	}
	return speakerOf(cmd), programOf(cmd), nil
}

// argv returns the whole command line, including the image's entrypoint.
func (c *container) argv() []string {
	argv := c.config.GetCommand()
	if len(argv) == 0 {
		argv = c.rt.images[c.config.GetImage().GetImage()].entrypoint
	}
	return append(append([]string{}, argv...), c.config.GetArgs()...)
}

// startFailed marks the container as exited without having run. No event is sent; a status call shows it.
func (c *container) startFailed(err error) {
	c.state, c.finished = runtimev1.ContainerState_CONTAINER_EXITED, time.Now()
	c.exitCode, c.reason, c.message = 128, "StartError", err.Error()
}

// exited handles the exit of the main process and notifies all waiters. The kernel kills the remaining processes of the
// container.
func (c *container) exited() {
	c.main.say(lines.EOF, "")
	c.state, c.finished, c.exitCode = runtimev1.ContainerState_CONTAINER_EXITED, time.Now(), c.main.code
	c.reason = "Error"
	if c.exitCode == 0 {
		c.reason = "Completed"
	}
	for p := range c.execs {
		p.kill()
	}
	c.tell()
	close(c.stopped)
	c.rt.announce(c.id, c.sandbox, runtimev1.ContainerEventType_CONTAINER_STOPPED_EVENT)
}

// endedUnstarted handles the end of a container that was created and never started: its init process exits on any signal.
func (c *container) endedUnstarted() {
	c.state, c.finished, c.exitCode, c.reason = runtimev1.ContainerState_CONTAINER_EXITED, time.Now(), unstartedCode, "Error"
	c.tell()
	close(c.stopped)
	c.rt.announce(c.id, c.sandbox, runtimev1.ContainerEventType_CONTAINER_STOPPED_EVENT)
}

// tell records the exit, once.
func (c *container) tell() {
	if c.told || c.finished.IsZero() {
		return
	}
	c.told = true
	code := c.exitCode
	c.rt.record(history.Event{
		Kind: history.ContainerExit, At: c.finished, Pod: c.owner.pod, Container: c.owner.container, ContainerID: c.id,
		ExitCode: &code, Reason: c.reason,
	})
}

// running reports whether the main process is running.
func (c *container) running() bool { return c.state == runtimev1.ContainerState_CONTAINER_RUNNING }

// living reports whether the container has a main process: running, or waiting for its start.
func (c *container) living() bool {
	return c.running() || c.state == runtimev1.ContainerState_CONTAINER_CREATED
}

// vanish ends the container's processes without a record.
func (c *container) vanish() {
	if c.main != nil {
		c.main.vanish()
	}
	for p := range c.execs {
		p.vanish()
	}
}

// forget clears the state that a dying daemon loses.
func (c *container) forget() {
	c.termSent, c.loop, c.removal = false, nil, nil
	c.starting = nil
}

// RemoveContainer removes a container, by force if it runs. Removing an unknown container succeeds.
func (rt *Runtime) RemoveContainer(ctx context.Context, id string) error {
	_, err := call(ctx, rt, method{name: "RemoveContainer", limit: patience}, &runtimev1.RemoveContainerRequest{ContainerId: id}, func(ctx context.Context) (any, error) {
		rt.mu.Lock()
		c, ok := rt.containers.get(id)
		rt.mu.Unlock()
		if !ok {
			return nil, nil
		}
		return nil, rt.variant().remove(ctx, c)
	})
	return err
}

// drop removes a container that does not run from the table; it reports whether it was there. mu is held.
func (rt *Runtime) drop(c *container) (there bool, err error) {
	switch {
	case c.running():
		return false, fmt.Errorf("failed to set removing state for container %q: container is still running, to stop first", c.id)
	case c.starting != nil:
		return false, fmt.Errorf("failed to set removing state for container %q: container is in starting state, can't be removed", c.id)
	}
	_, there = rt.containers.get(c.id)
	rt.containers.remove(c.id)
	return there, nil
}
