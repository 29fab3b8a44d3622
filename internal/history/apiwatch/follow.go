// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package apiwatch

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Watch is a recording that runs until its context ends or it is stopped.
type Watch struct {
	cancel context.CancelFunc
	done   chan struct{}
	err    error
}

// Stop ends the recording and waits for it.
func (w *Watch) Stop() {
	w.cancel()
	<-w.done
}

// Done is closed when the recording has ended.
func (w *Watch) Done() <-chan struct{} { return w.done }

// Err returns the error that ended the recording; nil while it runs and after Stop or the end of its context.
func (w *Watch) Err() error {
	select {
	case <-w.done:
		return w.err
	default:
		return nil
	}
}

// object is the interface of every API object used here.
type object interface {
	runtime.Object
	metav1.Object
}

// source lists and watches one resource of one namespace.
type source[T object] struct {
	what  string // for errors: "pods in namespace x"
	list  func(context.Context, metav1.ListOptions) (items []T, resourceVersion string, err error)
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error)
	see   func(watch.EventType, T)
}

// start lists and records the current state, opens the watch and returns; the watch continues in the background.
func start[T object](ctx context.Context, src source[T]) (*Watch, error) {
	ctx, cancel := context.WithCancel(ctx)
	f := &follower[T]{source: src, seen: map[types.UID]T{}}
	version, err := f.relist(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	opened := make(chan struct{})
	f.opened = func() { close(opened) }
	w := &Watch{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		defer cancel()
		if err := f.follow(ctx, version); ctx.Err() == nil {
			w.err = err
		}
	}()
	select {
	case <-opened:
		return w, nil
	case <-w.done:
		if w.err != nil {
			return nil, w.err
		}
		return nil, fmt.Errorf("watch %s: %w", src.what, context.Cause(ctx))
	}
}

// follower remembers what it has seen, to detect what is missing from a new list.
type follower[T object] struct {
	source[T]
	seen   map[types.UID]T
	opened func()
	once   sync.Once
}

// relist records the differences from what was seen: the first list in full, later ones only where something changed.
func (f *follower[T]) relist(ctx context.Context) (string, error) {
	items, version, err := f.list(ctx, metav1.ListOptions{})
	if err != nil {
		return "", fmt.Errorf("list %s: %w", f.what, err)
	}
	now := map[types.UID]T{}
	for _, item := range items {
		now[item.GetUID()] = item
	}
	for uid, old := range f.seen {
		if _, still := now[uid]; !still {
			f.see(watch.Deleted, old)
		}
	}
	for _, item := range items {
		old, before := f.seen[item.GetUID()]
		switch {
		case !before:
			f.see(watch.Added, item)
		case old.GetResourceVersion() != item.GetResourceVersion():
			f.see(watch.Modified, item)
		}
	}
	f.seen = now
	return version, nil
}

// follow watches from version until ctx ends. It lists again only if the server reports that version as gone.
func (f *follower[T]) follow(ctx context.Context, version string) error {
	for {
		err := f.watchFrom(ctx, version)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
			return fmt.Errorf("watch %s: %w", f.what, err)
		}
		if version, err = f.relist(ctx); err != nil {
			return err
		}
	}
}

func (f *follower[T]) watchFrom(ctx context.Context, version string) error {
	watcher, err := retryWatcher(ctx, version, func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
		w, err := f.watch(ctx, options)
		if err == nil {
			f.once.Do(f.opened)
		}
		return w, err
	})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	for event := range watcher.ResultChan() {
		if event.Type == watch.Error {
			return apierrors.FromObject(event.Object)
		}
		item, ok := event.Object.(T)
		if !ok {
			continue // a bookmark
		}
		switch event.Type {
		case watch.Added, watch.Modified:
			f.seen[item.GetUID()] = item
		case watch.Deleted:
			delete(f.seen, item.GetUID())
		default:
			continue
		}
		f.see(event.Type, item)
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: "the watch ended without an error",
	}}
}
