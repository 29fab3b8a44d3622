// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
	utilexec "k8s.io/utils/exec"

	"github.com/kgrace/kgrace/internal/actor"
)

// ExecSync runs a command in a container and waits for it. As with the kubelet's client, an exit code other than 0 is a
// utilexec.CodeExitError, a timeout is remote.ErrCommandTimedOut, and without a timeout there is no deadline.
func (rt *Runtime) ExecSync(ctx context.Context, id string, argv []string, timeout time.Duration) (stdout, stderr []byte, err error) {
	m := method{name: "ExecSync"}
	if timeout > 0 {
		m.limit = patience + timeout
	}
	seconds := int64(timeout.Seconds())
	request := &runtimev1.ExecSyncRequest{ContainerId: id, Cmd: argv, Timeout: seconds}
	reply, err := call(ctx, rt, m, request, func(ctx context.Context) (*runtimev1.ExecSyncResponse, error) {
		rt.mu.Lock()
		c, ok := rt.containers.get(id)
		running := ok && c.running()
		rt.mu.Unlock()
		switch {
		case !ok:
			return nil, fmt.Errorf("failed to exec in container: failed to find container %q in store: %w", id, errNotFound)
		case !running:
			return nil, rt.variant().notRunning(c)
		}
		cmd, err := parseCommand(argv, c.config.GetEnvs())
		var bad *usageError
		switch {
		case errors.As(err, &bad):
			return &runtimev1.ExecSyncResponse{Stderr: []byte(err.Error()), ExitCode: actor.ExitUsage}, nil
		case err != nil:
			return nil, fmt.Errorf("failed to exec in container: failed to start exec: unable to start container process: %w", err)
		}
		return rt.variant().exec(ctx, c, cmd, time.Duration(seconds)*time.Second)
	})
	switch {
	case status.Code(err) == codes.DeadlineExceeded:
		return nil, nil, fmt.Errorf("%w: %q timed out after %s", errTimedOut, strings.Join(argv, " "), timeout)
	case err != nil:
		return nil, nil, err
	case reply.GetExitCode() != 0:
		err = utilexec.CodeExitError{
			Err:  fmt.Errorf("command '%s' exited with %d: %s", strings.Join(argv, " "), reply.GetExitCode(), reply.GetStderr()),
			Code: int(reply.GetExitCode()),
		}
	}
	return reply.GetStdout(), reply.GetStderr(), err
}

// startExec starts a process in a running container.
func (rt *Runtime) startExec(c *container, cmd actor.Command) (*process, error) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if !c.running() {
		return nil, errors.New("failed to exec in container: failed to start exec: container is not running")
	}
	p := rt.newProcess(speakerOf(cmd), programOf(cmd))
	c.execs[p] = true
	p.onEnd = func() { delete(c.execs, p) }
	switch cmd.Verb {
	case "mark":
		p.say(cmd.Word, cmd.Message)
		p.end(int32(cmd.ExitCode))
	case "hook":
		p.say(cmd.Word+"-START", "for "+cmd.For)
		if cmd.Takes >= 0 {
			p.after(cmd.Takes, func() {
				p.say(cmd.Word+"-END", "")
				p.end(int32(cmd.ExitCode))
			})
		}
		if cmd.EndMain >= 0 {
			time.AfterFunc(cmd.EndMain, func() { rt.endMain(c, p) })
		}
	case "run":
		p.run()
	}
	return p, nil
}

// endMain ends the main process on behalf of a hook that is still running.
func (rt *Runtime) endMain(c *container, hook *process) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if !hook.ended && c.running() {
		c.main.endAfter(0, "at a hook's word")
	}
}

func (rt *Runtime) killExec(p *process) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	p.kill()
}

func (rt *Runtime) exitCode(p *process) int32 {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return p.code
}
