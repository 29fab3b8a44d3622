// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/kgrace/kgrace/internal/history"
)

// taken collects events.
type taken struct {
	mu  sync.Mutex
	all []history.Event
}

func (t *taken) Add(e history.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, e)
}

// In virtual time no interval is late.
func TestATimerInTimeIsNotRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var sink taken
		DetectStalls(ctx, &sink)
		if len(sink.all) != 0 {
			t.Errorf("%+v", sink.all)
		}
	})
}

func TestOnlyDelaysThatMatterAreRecorded(t *testing.T) {
	var sink taken
	due := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	record(&sink, due, 9*time.Millisecond)
	record(&sink, due, 1500*time.Millisecond)
	if len(sink.all) != 1 || sink.all[0].Kind != history.ControlLate || !sink.all[0].At.Equal(due) || sink.all[0].Late != 1.5 {
		t.Errorf("%+v", sink.all)
	}
}

// The work takes its CPU time or, on a busy machine, longer; never less.
func TestWorkIsNotDoneEarly(t *testing.T) {
	begin := time.Now()
	late := work()
	if took := time.Since(begin); took < pieces*piece || late < 0 {
		t.Errorf("took %v, %v late", took, late)
	}
}

// A terminating pod is seen once for each grace period; the work is done then, and again at the end of that period.
func TestPodsThatAreToEndAreSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		client := fake.NewClientset()
		var sink taken
		begin := time.Now()
		var worked []time.Duration
		var mu sync.Mutex
		done := make(chan struct{})
		go func() {
			defer close(done)
			watchPods(ctx, client, "node", &sink, func() time.Duration {
				mu.Lock()
				defer mu.Unlock()
				worked = append(worked, time.Since(begin).Round(time.Second))
				return 30 * time.Millisecond
			})
		}()
		pods := client.CoreV1().Pods("space")
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "space"}}
		put := func(change func()) {
			change()
			if _, err := pods.Update(ctx, pod, metav1.UpdateOptions{}); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		if _, err := pods.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		now := metav1.Now()
		put(func() { pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &now, history.Seconds(1<<62) })
		put(func() { pod.DeletionGracePeriodSeconds = history.Seconds(60) })
		put(func() { pod.Status.Message = "nothing new" })
		time.Sleep(3 * time.Second)
		put(func() { pod.DeletionGracePeriodSeconds = history.Seconds(5) })
		time.Sleep(6 * time.Second)
		if err := pods.Delete(ctx, "pod", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		cancel()
		<-done

		var graces []int64
		lates, most := 0, 0.0
		for _, e := range sink.all {
			switch {
			case e.Kind == history.ControlLate:
				lates++
				most = max(most, e.Late)
			case e.Kind == history.ControlSaw && e.Pod == "pod":
				graces = append(graces, *e.Grace)
			}
		}
		if len(graces) != 4 || graces[1] != 60 || graces[2] != 5 || sink.all[len(sink.all)-2].Reason != "DELETED" {
			t.Errorf("saw %v: %+v", graces, sink.all)
		}
		if want := []time.Duration{2 * time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 11 * time.Second}; lates != len(want) || len(worked) != len(want) || worked[3] != want[3] || most > 1 {
			t.Errorf("worked at %v, want %v; %d delays of at most %v s", worked, want, lates, most)
		}
	})
}

// However many pods end, the work begins soon after each, and not for each of them.
func TestManyPodsShareTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var worked []time.Time
		var sink taken
		w := &waiting{ctx: ctx, sink: &sink, due: make(chan struct{}, 1)}
		w.all.Go(func() {
			w.serve(func() time.Duration {
				worked = append(worked, time.Now())
				time.Sleep(20 * time.Millisecond) // virtual time (synctest): the work
				return 0
			})
		})
		now := metav1.Now()
		var ended []time.Time
		for range 200 {
			ended = append(ended, time.Now())
			w.see(nil, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &now, DeletionGracePeriodSeconds: history.Seconds(60)}})
			time.Sleep(5 * time.Millisecond) // virtual time (synctest): until the next pod
		}
		time.Sleep(time.Second) // virtual time (synctest): until the last work
		cancel()
		w.all.Wait()
		if len(worked) != 11 {
			t.Errorf("worked %d times within a second, want 11", len(worked))
		}
		for _, at := range ended {
			if !slices.ContainsFunc(worked, func(begin time.Time) bool { return !begin.Before(at) && !begin.After(at.Add(spacing)) }) {
				t.Errorf("no work within %v of %v: %v", spacing, at, worked)
			}
		}
	})
}
