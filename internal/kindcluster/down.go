// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Close ends the recording and deletes the cluster. It continues after errors, and works on a cluster that Up created only
// in part.
func (c *Cluster) Close(context.Context) error {
	var errs []error
	if c.unwatch != nil {
		c.unwatch()
		c.watching.Wait()
	}
	if c.made {
		errs = append(errs, c.Plain.Close())
		c.made = false
	}
	if c.lines != nil {
		errs = append(errs, c.lines.Close())
	}
	if c.calls != nil {
		// Recording has already returned its error.
		_ = c.calls.Close()
	}
	if c.beside != nil {
		_ = c.beside.Close()
	}
	if c.layout.dir != "" {
		errs = append(errs, c.layout.remove())
	}
	if c.lock != nil {
		errs = append(errs, release(c.lock))
		c.lock = nil
	}
	return errors.Join(errs...)
}

// take reserves a cluster's name for this process until release or the end of the process.
func take(name string) (*flock.Flock, error) {
	path := filepath.Join(os.TempDir(), name+".lock")
	for {
		lock := flock.New(path)
		got, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if !got {
			return nil, fmt.Errorf("cluster %s is in use by another run (%s is locked); wait for its end", name, path)
		}
		// The last user may have removed the file between opening and locking it; a lock on an unlinked file is worthless.
		mine, err := lock.Stat()
		if err != nil {
			return nil, errors.Join(err, lock.Close())
		}
		if there, err := os.Stat(path); err == nil && os.SameFile(mine, there) {
			return lock, nil
		}
		_ = lock.Close()
	}
}

func release(lock *flock.Flock) error {
	return errors.Join(os.Remove(lock.Path()), lock.Close())
}
