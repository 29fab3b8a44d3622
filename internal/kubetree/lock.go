/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package kubetree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lock takes the exclusive lock on a file under the output folder and returns a function that releases it. The kernel drops
// the lock with the process, however it ends, so a leftover lock file blocks nobody.
func (r *Repo) lock(ctx context.Context, name string, p progress) (unlock func(), err error) {
	path := filepath.Join(r.Output, "locks", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return func() { f.Close() }, nil
	}
	if !errors.Is(err, unix.EWOULDBLOCK) {
		f.Close()
		return nil, fmt.Errorf("%s: lock: %w", path, err)
	}
	p.say("waiting for another kgrace process that holds %s", path)
	got := make(chan error, 1)
	go func() { got <- flockRetry(f) }()
	select {
	case err := <-got:
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: lock: %w", path, err)
		}
		return func() { f.Close() }, nil
	case <-ctx.Done():
		// flock cannot be cancelled: if it succeeds later, close the file to release the lock.
		go func() { <-got; f.Close() }()
		return nil, fmt.Errorf("waiting for %s: %w", path, ctx.Err())
	}
}

// flockRetry waits for the lock; signals of the Go runtime may interrupt the wait.
func flockRetry(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
