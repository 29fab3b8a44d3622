// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/kgrace/kgrace/internal/tool"
)

// lock takes the exclusive lock on a file under the output directory and returns a function that releases it. The kernel drops
// the lock with the process, however it ends, so a leftover lock file blocks nobody.
func (r *Repo) lock(ctx context.Context, name string, p tool.Progress) (unlock func(), err error) {
	path := filepath.Join(r.Output, "locks", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	l := flock.New(path)
	got, err := l.TryLock()
	if err == nil && !got {
		p.Say("waiting for another kgrace process that holds %s", path)
		// flock(2) cannot be cancelled, so the library asks again until ctx ends.
		_, err = l.TryLockContext(ctx, 100*time.Millisecond)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: lock: %w", path, err)
	}
	return func() { l.Close() }, nil
}

// LockBuild waits until no other go build of this project runs in any process that shares the output directory, and keeps
// others from starting one until unlock is called.
func (r *Repo) LockBuild(ctx context.Context) (unlock func(), err error) {
	return r.lock(ctx, "go-build", tool.Progress{To: r.Progress, What: "build"})
}

// Lock waits until no other process that shares the output directory holds the lock of that name, and holds it until unlock is
// called.
func (r *Repo) Lock(ctx context.Context, name string) (unlock func(), err error) {
	return r.lock(ctx, name, tool.Progress{To: r.Progress, What: name})
}
