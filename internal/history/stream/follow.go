// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"

	"github.com/kgrace/kgrace/internal/history"
)

// Follower adds the events of a file to a sink as they arrive, from the beginning of the file.
type Follower struct {
	path  string
	sink  history.Sink
	watch *fsnotify.Watcher

	file   *os.File
	rest   []byte // of an incomplete line
	number int
	begun  bool

	done   chan struct{}
	cancel context.CancelFunc

	mu  sync.Mutex
	err error
}

// Follow starts to follow a file, which need not exist yet; its directory must. It ends with ctx or Close.
func Follow(ctx context.Context, path string, sink history.Sink) (*Follower, error) {
	watch, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("follow %s: %w", path, err)
	}
	// Watch the directory, because another process creates the file later.
	if err := watch.Add(filepath.Dir(path)); err != nil {
		return nil, errors.Join(fmt.Errorf("follow %s: %w", path, err), watch.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	f := &Follower{path: path, sink: sink, watch: watch, done: make(chan struct{}), cancel: cancel}
	go f.run(ctx)
	return f, nil
}

// Err returns why the events are incomplete; nil if they are complete.
func (f *Follower) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Close stops following; lines written before are still read.
func (f *Follower) Close() error {
	f.cancel()
	<-f.done
	return f.Err()
}

func (f *Follower) run(ctx context.Context) {
	defer close(f.done)
	defer f.watch.Close()
	defer func() {
		f.take()
		if f.file != nil {
			_ = f.file.Close()
		}
	}()
	for {
		if !f.take() {
			return
		}
		select {
		case <-ctx.Done():
			return
		case _, ok := <-f.watch.Events:
			if !ok {
				return
			}
		case err := <-f.watch.Errors:
			// An overflow loses wake-ups, not lines, which are in the file.
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				f.trouble(fmt.Errorf("follow %s: %w", f.path, err))
				return
			}
		}
	}
}

// take reads the available lines; it returns false if there is no point in continuing.
func (f *Follower) take() bool {
	if f.file == nil {
		file, err := os.Open(f.path)
		if errors.Is(err, os.ErrNotExist) {
			return true
		}
		if err != nil {
			f.trouble(err)
			return false
		}
		f.file = file
	}
	data, err := io.ReadAll(f.file)
	if err != nil {
		f.trouble(fmt.Errorf("follow %s: %w", f.path, err))
		return false
	}
	f.rest = append(f.rest, data...)
	for {
		text, rest, whole := bytes.Cut(f.rest, []byte("\n"))
		if !whole {
			return true
		}
		f.rest = rest
		f.number++
		if err := f.see(text); err != nil {
			f.trouble(fmt.Errorf("%s:%d: %w", f.path, f.number, err))
		}
	}
}

func (f *Follower) see(text []byte) error {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("not a line of events: %w", err)
	}
	switch {
	case l.Event != nil:
		f.sink.Add(*l.Event)
	case l.Trouble != "":
		return errors.New(l.Trouble)
	case l.Begun != 0 && f.begun:
		return fmt.Errorf("the recorder was restarted, with pid %d; the events in between are lost", l.Begun)
	case l.Begun != 0:
		f.begun = true
	}
	return nil
}

func (f *Follower) trouble(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = errors.Join(f.err, err)
}
