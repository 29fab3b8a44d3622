// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const mib = 1 << 20

// treeSpace is the maximum for laying out one arm, in bytes: 125 MiB of files, their git objects, and, from KUBE_SRC,
// temporarily a whole checkout.
const treeSpace = 900 * mib

// NeedSpace checks that there is enough space in dir (which need not exist yet) before anything is written.
func (r *Repo) NeedSpace(dir string, want uint64, what string) error {
	measure := r.FreeSpace
	if measure == nil {
		measure = freeSpace
	}
	have, err := measure(existing(dir))
	if err != nil {
		return fmt.Errorf("%s: free space: %w", dir, err)
	}
	if have >= want {
		return nil
	}
	return fmt.Errorf("no space: %s needs %d MiB in %s, which has %d MiB free; make room (`make clean` removes what kgrace built, "+
		"`go clean -cache` the build cache), or set %s to a directory on another disk", what, want/mib, dir, have/mib, OutputVar)
}

// existing returns dir or its nearest existing parent.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

func freeSpace(dir string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return st.Bavail * uint64(st.Bsize), nil
}

// DiskFull returns an error (ENOSPC) if there is next to no space in a directory. It tells why a program failed that wrote there.
func DiskFull(dir string) error {
	if have, err := freeSpace(dir); err == nil && have < mib {
		return &fs.PathError{Op: "write", Path: dir, Err: unix.ENOSPC}
	}
	return nil
}

const diskFull = "the disk is full"

// ExplainSpace adds a remedy to an error about a full disk, whether ours or that of a program we ran.
func ExplainSpace(err error) error {
	if err == nil || !errors.Is(err, unix.ENOSPC) && !strings.Contains(err.Error(), unix.ENOSPC.Error()) {
		return err
	}
	if strings.Contains(err.Error(), diskFull) {
		return err
	}
	return fmt.Errorf("%w\n"+diskFull+": make room (`make clean` removes what kgrace built, `go clean -cache` the build cache), "+
		"or set %s (and GOCACHE, TMPDIR) to directories on another disk", err, OutputVar)
}
