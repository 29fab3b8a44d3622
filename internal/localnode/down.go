// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/moby/sys/mountinfo"
	"golang.org/x/sys/unix"
)

// Down stops the node and removes everything except its logs. It may be called more than once, for a crashed node, and from
// another process (Attach). If it fails, the error names what remains, and the state file stays for the next attempt.
func (n *Node) Down(ctx context.Context) error {
	unlock, err := lock(n.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock()
	return n.remove(ctx)
}

// remove does the work of Down; the directory is locked. The order matters: nothing can be removed while a process uses it,
// and the state file goes last.
func (n *Node) remove(ctx context.Context) error {
	n.down.Store(true)
	if err := n.state.killInit(ctx); err != nil {
		return err
	}
	if n.init != nil {
		n.init.kill() // even if its start time was never recorded
	}
	all, err := hierarchies()
	if err != nil {
		return err
	}
	if err := removeCgroups(ctx, all, n.state.Cgroup); err != nil {
		return err
	}
	p := n.paths()
	for _, dir := range []string{p.runDir, p.data()} {
		if err := removeDirectory(dir); err != nil {
			return err
		}
	}
	for _, file := range []string{p.kubeconfig(), statePath(n.dir)} {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// removeDirectory removes a directory after unmounting everything that this mount namespace has mounted below it (nothing, unless
// somebody mounted it there). It never deletes through a mount: that would be somebody else's data.
func removeDirectory(dir string) error {
	mounts, err := mountinfo.GetMounts(mountinfo.PrefixFilter(dir))
	if err != nil {
		return err
	}
	// Deepest first.
	slices.SortFunc(mounts, func(a, b *mountinfo.Info) int {
		return cmp.Compare(strings.Count(b.Mountpoint, "/"), strings.Count(a.Mountpoint, "/"))
	})
	for _, m := range mounts {
		if err := unix.Unmount(m.Mountpoint, unix.UMOUNT_NOFOLLOW); err != nil {
			return fmt.Errorf("unmount %s before its directory is removed: %w", m.Mountpoint, err)
		}
	}
	return os.RemoveAll(dir)
}
