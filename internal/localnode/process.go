// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// bootID changes with every boot of the machine, which invalidates earlier pids.
func bootID() (string, error) {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(data)), err
}

// startTime returns field 22 of proc_pid_stat(5): clock ticks from boot to the start of the process. Together with the pid
// it identifies one process.
func startTime(pid int) (uint64, error) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return 0, err
	}
	stat, err := proc.Stat()
	return stat.Starttime, err
}

// openInit returns a pidfd of the node's pid 1, or -1 if that process is gone.
func (s *state) openInit() (int, error) {
	if s.InitPID == 0 {
		return -1, nil
	}
	if id, err := bootID(); err != nil || id != s.BootID {
		return -1, err
	}
	fd, err := unix.PidfdOpen(s.InitPID, 0)
	if errors.Is(err, unix.ESRCH) {
		return -1, nil
	}
	if err != nil {
		return -1, fmt.Errorf("pidfd of the node's pid 1 (%d): %w", s.InitPID, err)
	}
	// The pidfd is open, so it cannot refer to another process from here on: if the start time matches, the signal reaches the
	// right one.
	if start, err := startTime(s.InitPID); err != nil || start != s.InitStart {
		unix.Close(fd)
		return -1, nil
	}
	return fd, nil
}

// alive reports whether the node's pid 1 runs.
func (s *state) alive() bool {
	fd, err := s.openInit()
	if err != nil || fd < 0 {
		return false
	}
	defer unix.Close(fd)
	return !exited(fd, 0)
}

// killInit kills the node's pid 1, and thereby the kernel kills every process of its pid namespace, then waits until they
// are gone: pid 1 becomes a zombie only after all others have been reaped.
func (s *state) killInit(ctx context.Context) error {
	fd, err := s.openInit()
	if err != nil || fd < 0 {
		return err
	}
	defer unix.Close(fd)
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("end the node's pid 1 (%d): %w", s.InitPID, err)
	}
	for !exited(fd, 100*time.Millisecond) {
		if ctx.Err() != nil {
			return fmt.Errorf("the node's pid 1 (%d) was killed but has not ended: %w", s.InitPID, context.Cause(ctx))
		}
	}
	return nil
}

// exited waits up to d for the process behind a pidfd to end and reports whether it has.
func exited(pidfd int, d time.Duration) bool {
	fds := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, int(d/time.Millisecond))
	return err == nil && n > 0
}
