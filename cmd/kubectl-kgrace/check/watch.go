// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// retryAfter is the pause after a failed list of pods.
const retryAfter = time.Second

// absence is when a pod's object went: between from and by.
type absence struct{ from, by time.Time }

// tracker follows the pods of a run.
type tracker struct {
	pods     typedcorev1.PodInterface
	selector string

	mu      sync.Mutex
	known   map[string]*corev1.Pod
	gone    map[string]absence
	contact time.Time // when the server last answered
	trouble error     // why it does not answer now
	changed chan struct{}
}

func newTracker(pods typedcorev1.PodInterface, run string) *tracker {
	return &tracker{pods: pods, selector: RunLabel + "=" + run, known: map[string]*corev1.Pod{}, gone: map[string]absence{},
		changed: make(chan struct{})}
}

// follow lists and watches until ctx ends.
func (t *tracker) follow(ctx context.Context) {
	for ctx.Err() == nil {
		err := t.once(ctx)
		t.update(func() { t.trouble = err })
		if err != nil {
			pause(ctx, retryAfter)
		}
	}
}

// once lists and watches until the watch ends.
func (t *tracker) once(ctx context.Context) error {
	list, err := t.pods.List(ctx, metav1.ListOptions{LabelSelector: t.selector})
	if err != nil {
		return err
	}
	t.listed(list.Items)
	w, err := t.pods.Watch(ctx, metav1.ListOptions{LabelSelector: t.selector, ResourceVersion: list.ResourceVersion, AllowWatchBookmarks: true})
	if err != nil {
		return err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		if event.Type == watch.Error {
			return apierrors.FromObject(event.Object)
		}
		p, ok := event.Object.(*corev1.Pod)
		if !ok {
			continue
		}
		t.update(func() {
			t.contact, t.trouble = time.Now(), nil
			switch event.Type {
			case watch.Added, watch.Modified:
				t.known[p.Name] = p
			case watch.Deleted:
				delete(t.known, p.Name)
				t.gone[p.Name] = absence{t.contact, t.contact}
			}
		})
	}
	return nil
}

// listed takes a list. Pods that are missing in it went at some time since the last contact.
func (t *tracker) listed(items []corev1.Pod) {
	t.update(func() {
		now, there := time.Now(), map[string]*corev1.Pod{}
		for i := range items {
			there[items[i].Name] = &items[i]
		}
		for name := range t.known {
			if there[name] == nil {
				t.gone[name] = absence{t.contact, now}
			}
		}
		t.known, t.contact, t.trouble = there, now, nil
	})
}

func (t *tracker) update(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
	close(t.changed)
	t.changed = make(chan struct{})
}

// wait calls good with a pod (nil while it does not exist) at every change until it returns true or an error.
func (t *tracker) wait(ctx context.Context, name string, good func(*corev1.Pod) (bool, error)) error {
	for {
		t.mu.Lock()
		p, changed, trouble := t.known[name], t.changed, t.trouble
		t.mu.Unlock()
		if ok, err := good(p); ok || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if trouble != nil {
				return trouble
			}
			return ctx.Err()
		}
	}
}

// absent waits until a pod's object is gone.
func (t *tracker) absent(ctx context.Context, name string) (absence, bool) {
	for {
		t.mu.Lock()
		a, ok := t.gone[name]
		changed := t.changed
		t.mu.Unlock()
		if ok {
			return a, true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return absence{}, false
		}
	}
}

// pause waits and reports whether the time passed before ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// isGone returns when a pod's object went, if it did.
func (t *tracker) isGone(name string) (absence, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a, ok := t.gone[name]
	return a, ok
}
