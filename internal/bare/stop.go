// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package bare

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/moby/sys/mountinfo"
	"golang.org/x/sys/unix"
)

// Paths of the containerd that dockerd starts.
const (
	containerdPID    = "/var/run/docker/containerd/containerd.pid"
	containerdConfig = "/var/run/docker/containerd/containerd.toml"
)

// stopDaemon stops the process that Setup started, if it still runs, and waits for it.
func (s *State) stopDaemon() error {
	if s.PID == 0 {
		return nil
	}
	return stopProcess("dockerd", s.PID, s.running)
}

// stopContainerd stops dockerd's containerd, which gets a signal anyway when dockerd dies, and waits for its end. A dockerd
// that starts while that containerd is shutting down would take it for a running one and wait for it in vain.
func (s *State) stopContainerd() error {
	data, err := os.ReadFile(containerdPID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return fmt.Errorf("%s: %w", containerdPID, err)
	}
	if err := stopProcess("containerd", pid, func() bool {
		args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return err == nil && strings.Contains(string(args), containerdConfig)
	}); err != nil {
		return err
	}
	if err := os.Remove(containerdPID); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// stopProcess stops the process if ours confirms that it is the right one.
func stopProcess(name string, pid int, ours func() bool) error {
	// The pidfd refers to one process, even if the pid is reused.
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s, pid %d: %w", name, pid, err)
	}
	defer unix.Close(fd)
	if !ours() {
		return nil
	}
	for _, signal := range []unix.Signal{unix.SIGTERM, unix.SIGKILL} {
		if err := unix.PidfdSendSignal(fd, signal, nil, 0); errors.Is(err, unix.ESRCH) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s, pid %d: %w", name, pid, err)
		}
		if ended, err := waitEnd(fd, stopWait); ended || err != nil {
			return err
		}
	}
	return fmt.Errorf("%s, pid %d, has not ended", name, pid)
}

func waitEnd(fd int, timeout time.Duration) (bool, error) {
	for deadline := time.Now().Add(timeout); ; {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(max(0, time.Until(deadline)).Milliseconds()))
		if !errors.Is(err, unix.EINTR) {
			return n > 0, err
		}
	}
}

// unmount removes the mounts that a killed dockerd left below its directory.
func (s *State) unmount() error {
	mounts, err := mountinfo.GetMounts(mountinfo.PrefixFilter(s.dir))
	if err != nil {
		return err
	}
	var errs []error
	// Last mounted, first unmounted.
	for i := len(mounts) - 1; i >= 0; i-- {
		if err := unix.Unmount(mounts[i].Mountpoint, unix.UMOUNT_NOFOLLOW); err != nil {
			errs = append(errs, fmt.Errorf("unmount %s: %w", mounts[i].Mountpoint, err))
		}
	}
	return errors.Join(errs...)
}
