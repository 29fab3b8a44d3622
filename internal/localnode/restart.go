// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// These methods disturb a node that is up. They work only for the process that called Up. A program that they end does not
// count as lost (see Lost); if it does not come back, the call returns an error with the end of its log.

const kubeletHealthURL = "http://127.0.0.1:10248/healthz"

// KillKubelet kills the kubelet with SIGKILL and returns when it is gone.
func (n *Node) KillKubelet(ctx context.Context) error { return n.halt(ctx, ProgramKubelet) }

// StartKubelet starts the kubelet again and returns when its health endpoint reports ok.
func (n *Node) StartKubelet(ctx context.Context) error {
	if err := n.disturb(ctx, "Ended", ProgramKubelet); err != nil {
		return err
	}
	if err := n.startProgram(ctx, ProgramKubelet); err != nil {
		return err
	}
	if err := n.init.call(ctx, "WaitHTTP", kubeletHealthURL, &None{}); err != nil {
		return n.failed(ProgramKubelet, "is not healthy", err)
	}
	return nil
}

// RestartRuntime kills containerd with SIGKILL, starts it again and returns when it serves. Containers live on in their
// shims.
func (n *Node) RestartRuntime(ctx context.Context) error {
	if err := n.halt(ctx, ProgramContainerd); err != nil {
		return err
	}
	if err := n.startProgram(ctx, ProgramContainerd); err != nil {
		return err
	}
	conn, err := n.dialRuntime()
	if err != nil {
		return err
	}
	defer conn.Close()
	return n.waitRuntime(ctx, conn)
}

// CutKubeletOff closes every connection from the kubelet to the API server and refuses new ones.
func (n *Node) CutKubeletOff(ctx context.Context) error { return n.disturb(ctx, "Link", true) }

// LetKubeletList restarts the API server and then undoes CutKubeletOff. The restarted server has no watch cache of the
// changes since the kubelet's watch stopped, so the kubelet must list again. LetKubeletList returns when the API server is
// ready.
func (n *Node) LetKubeletList(ctx context.Context) error {
	if err := n.RestartAPIServer(ctx); err != nil {
		return err
	}
	return n.LetKubeletOn(ctx)
}

func (n *Node) halt(ctx context.Context, name string) error { return n.disturb(ctx, "Halt", name) }

func (n *Node) disturb(ctx context.Context, method string, args any) error {
	if n.init == nil {
		return errors.New("only the process that started a node can disturb it")
	}
	return n.init.call(ctx, method, args, &None{})
}

// Ended returns an error if a program that is about to be started again still runs.
func (s *supervisor) Ended(name string, _ *None) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.running(name); c != nil {
		return fmt.Errorf("%s already runs, as pid %d in the node", name, c.PID)
	}
	return nil
}

// running returns the program of the node that has not been reaped, or nil; mu is held.
func (s *supervisor) running(name string) *Component {
	for _, c := range s.children {
		if c.Name == name && !c.once {
			return c
		}
	}
	return nil
}

// Halt kills a program with SIGKILL and returns when it is reaped.
func (s *supervisor) Halt(name string, _ *None) error {
	s.mu.Lock()
	found := s.running(name)
	if found == nil {
		s.mu.Unlock()
		return fmt.Errorf("%s does not run", name)
	}
	found.meant = true
	// The lock is held, so the program has not been reaped and the pid cannot be reused.
	err := unix.Kill(found.PID, unix.SIGKILL)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("end %s: %w", name, err)
	}
	<-found.done
	return nil
}
