// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/kgrace/kgrace/internal/history"
)

// Pods watches the pods of a node until ctx ends, as the kubelet does, and records what it sees of terminating pods and the
// delay of the work that follows.
func Pods(ctx context.Context, client kubernetes.Interface, node string, sink history.Sink) {
	watchPods(ctx, client, node, sink, work)
}

func watchPods(ctx context.Context, client kubernetes.Interface, node string, sink history.Sink, work func() time.Duration) {
	w := &waiting{ctx: ctx, sink: sink, work: work}
	defer w.all.Wait()
	inform(client, node, w).RunWithContext(ctx)
}

// inform returns a watch of the pods of a node.
func inform(client kubernetes.Interface, node string, handler cache.ResourceEventHandler) cache.Controller {
	selector := fields.OneTermEqualSelector("spec.nodeName", node).String()
	pods := client.CoreV1().Pods(metav1.NamespaceAll)
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
				o.FieldSelector = selector
				return pods.List(ctx, o)
			},
			WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
				o.FieldSelector = selector
				return pods.Watch(ctx, o)
			},
		}, client), ObjectType: &corev1.Pod{}, Handler: handler,
	})
	return informer
}

// longest is the longest grace period, in seconds, whose end is awaited. No scenario waits that long, and a duration cannot
// hold every number of seconds that the API allows.
const longest = 3600

// waiting handles the events of the watch.
type waiting struct {
	ctx  context.Context
	sink history.Sink
	work func() time.Duration
	all  sync.WaitGroup
}

var _ cache.ResourceEventHandler = (*waiting)(nil)

// OnAdd handles a new pod.
func (w *waiting) OnAdd(object any, _ bool) { w.see(nil, object.(*corev1.Pod)) }

// OnUpdate handles a changed pod.
func (w *waiting) OnUpdate(old, now any) { w.see(old.(*corev1.Pod), now.(*corev1.Pod)) }

// OnDelete handles a removed pod.
func (w *waiting) OnDelete(object any) {
	if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = last.Obj
	}
	if pod, ok := object.(*corev1.Pod); ok {
		w.sink.Add(history.Event{Kind: history.ControlSaw, At: time.Now(), Pod: pod.Name, Reason: "DELETED", Grace: pod.DeletionGracePeriodSeconds})
		w.all.Go(w.act)
	}
}

// see records a terminating pod, once for each grace period.
func (w *waiting) see(old, now *corev1.Pod) {
	grace := now.DeletionGracePeriodSeconds
	if now.DeletionTimestamp == nil || grace == nil {
		return
	}
	if old != nil && old.DeletionGracePeriodSeconds != nil && *old.DeletionGracePeriodSeconds == *grace {
		return
	}
	seen := time.Now()
	w.sink.Add(history.Event{Kind: history.ControlSaw, At: seen, Pod: now.Name, Reason: "MODIFIED", Grace: grace})
	w.all.Go(func() {
		w.act()
		if *grace <= longest {
			w.wait(seen.Add(time.Duration(*grace) * time.Second))
		}
	})
}

// act does the work of one event.
func (w *waiting) act() {
	late := w.work()
	record(w.sink, time.Now().Add(-late), late)
}

// wait waits for the end of a grace period and then does its work.
func (w *waiting) wait(due time.Time) {
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-timer.C:
		record(w.sink, due, time.Since(due))
		w.act()
	case <-w.ctx.Done():
	}
}
