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
	w := &waiting{ctx: ctx, sink: sink, due: make(chan struct{}, 1)}
	defer w.all.Wait()
	w.all.Go(func() { w.serve(work) })
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

// spacing is the least time between two beginnings of the work. However many pods end at once, the control takes a fifth of a CPU at
// most, and the work begins within half of the 200 ms in which the contract requires a shorter stop to be sent.
const spacing = 100 * time.Millisecond

// waiting handles the events of the watch.
type waiting struct {
	ctx  context.Context
	sink history.Sink
	due  chan struct{} // holds whether there is work to do
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
		w.act()
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
	w.act()
	if *grace <= longest {
		w.all.Go(func() { w.wait(seen.Add(time.Duration(*grace) * time.Second)) })
	}
}

// act asks for work. Events before it begins share it.
func (w *waiting) act() {
	select {
	case w.due <- struct{}{}:
	default:
	}
}

// serve does the work that events ask for.
func (w *waiting) serve(work func() time.Duration) {
	for {
		select {
		case <-w.due:
		case <-w.ctx.Done():
			return
		}
		begin := time.Now()
		late := work()
		record(w.sink, time.Now().Add(-late), late)
		sleep(w.ctx, begin.Add(spacing))
	}
}

// sleep returns at a time, or when ctx has ended, which it reports with false.
func sleep(ctx context.Context, until time.Time) bool {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// wait waits for the end of a grace period and then does its work.
func (w *waiting) wait(due time.Time) {
	if sleep(w.ctx, due) {
		record(w.sink, due, time.Since(due))
		w.act()
	}
}
