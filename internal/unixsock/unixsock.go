// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package unixsock listens on unix sockets in the file system: it rejects a path that is too long, replaces a socket left
// by a dead process, and fails on one that is in use.
package unixsock

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// MaxPath is the maximum length in bytes of a unix socket's path on Linux (sun_path without the terminating zero).
const MaxPath = 107

// CheckPath returns an error if path cannot be the path of a unix socket.
func CheckPath(path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("unix socket %q: expected an absolute path", path)
	}
	if len(path) > MaxPath {
		return fmt.Errorf("unix socket %q: the path has %d bytes, the kernel accepts %d; use a directory with a shorter path", path, len(path), MaxPath)
	}
	return nil
}

// Listen listens on path and sets the socket's permissions to perm. The listener removes the file when it is closed.
func Listen(path string, perm os.FileMode) (*net.UnixListener, error) {
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	if err := clear(path); err != nil {
		return nil, err
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	if err := os.Chmod(path, perm); err != nil {
		_ = listener.Close()
		return nil, err
	}
	return listener, nil
}

// clear removes a socket that nobody listens on.
func clear(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode()&os.ModeSocket == 0 {
		return fmt.Errorf("listen on %s: a file that is not a socket is in the way (%s)", path, info.Mode())
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		_ = conn.Close()
		return fmt.Errorf("listen on %s: another process listens there; stop it or use another path", path)
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("listen on %s: cannot tell whether the socket there is in use: %w", path, err)
	}
	return os.Remove(path)
}
