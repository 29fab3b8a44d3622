// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// More ways to disturb a node that is up, as in restart.go.

// PauseKubelet stops the kubelet with SIGSTOP, ResumeKubelet continues it.
func (n *Node) PauseKubelet(ctx context.Context) error {
	return n.disturb(ctx, "Signal", Signal{ProgramKubelet, unix.SIGSTOP})
}

// ResumeKubelet continues a kubelet that PauseKubelet has stopped.
func (n *Node) ResumeKubelet(ctx context.Context) error {
	return n.disturb(ctx, "Signal", Signal{ProgramKubelet, unix.SIGCONT})
}

// RestartAPIServer kills the API server with SIGKILL, starts it again and returns when it is ready.
func (n *Node) RestartAPIServer(ctx context.Context) error {
	if err := n.halt(ctx, ProgramAPIServer); err != nil {
		return err
	}
	if err := n.startProgram(ctx, ProgramAPIServer); err != nil {
		return err
	}
	return n.waitAPIServer(ctx)
}

// LetKubeletOn undoes CutKubeletOff. Unlike after LetKubeletList, the kubelet may resume its watches where they ended.
func (n *Node) LetKubeletOn(ctx context.Context) error { return n.disturb(ctx, "Link", false) }

// FillKubeletDisk takes all space that is left under the kubelet's directory; called again, what has become free since. The node
// must have Config.KubeletDisk, so that the directory has a disk of its own.
func (n *Node) FillKubeletDisk(ctx context.Context) error {
	return n.disturb(ctx, "Fill", Space{kubeletDir, n.kubeletDisk})
}

// FreeKubeletDisk gives the space back.
func (n *Node) FreeKubeletDisk(ctx context.Context) error {
	return n.disturb(ctx, "Free", kubeletDir)
}

// Signal is a signal for a program of the node.
type Signal struct {
	Name   string
	Signal unix.Signal
}

// Signal sends a signal to a program that runs.
func (s *supervisor) Signal(what Signal, _ *None) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.running(what.Name)
	if found == nil {
		return fmt.Errorf("%s does not run", what.Name)
	}
	// The lock is held, so the program has not been reaped and the pid cannot be reused.
	if err := unix.Kill(found.PID, what.Signal); err != nil {
		return fmt.Errorf("send %s to %s: %w", unix.SignalName(what.Signal), what.Name, err)
	}
	return nil
}

// filler is the name of the file that takes the space.
const filler = "kgrace-takes-all-space"

// Space is a disk in memory, by the directory that it is mounted at and its size in bytes.
type Space struct {
	Dir  string
	Size int64
}

// Fill takes the free space of a disk. It refuses any but the node's own one: the machine's is never filled.
func (s *supervisor) Fill(space Space, _ *None) error {
	dir := space.Dir
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return fmt.Errorf("space in %s: %w", dir, err)
	}
	if size := int64(disk.Blocks) * disk.Bsize; disk.Type != unix.TMPFS_MAGIC || space.Size == 0 || size != space.Size {
		return fmt.Errorf("%s has no disk of its own of %d bytes in memory: set Config.KubeletDisk, to whole pages", dir, space.Size)
	}
	left := int64(disk.Bavail) * disk.Bsize
	if left == 0 {
		return nil
	}
	file, err := os.OpenFile(filepath.Join(dir, filler), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	// Somebody else may take the last of it meanwhile.
	if err := unix.Fallocate(int(file.Fd()), 0, info.Size(), left); err != nil && !errors.Is(err, unix.ENOSPC) {
		return fmt.Errorf("take %d bytes in %s: %w", left, dir, err)
	}
	return nil
}

// Free gives the space back that Fill took.
func (s *supervisor) Free(dir string, _ *None) error {
	if err := os.Remove(filepath.Join(dir, filler)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
