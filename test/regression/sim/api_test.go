//go:build kgrace_sim

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/simapi"
)

// These tests check the API writes of a delete in internal/simapi. They run with every suite, because only a suite is compiled
// with the minor's own API server code.

// write is a write as a watch shows it.
type write struct {
	reason string
	grace  int64
	// deletion counts from the pod's creation.
	deletion time.Duration
}

func TestDeletes(t *testing.T) {
	const spec = 60
	running := func(*corev1.Pod) {}
	for _, c := range []struct {
		name   string
		change func(*corev1.Pod)
		phase  string
		do     func(*deleter)
		want   []write
	}{
		{"a plain delete takes the spec's grace", running, "", func(d *deleter) { d.delete(nil) },
			[]write{{"MODIFIED", 60, 60 * time.Second}}},
		{"a force is two writes", running, "", func(d *deleter) { d.delete(grace(0)) },
			[]write{{"MODIFIED", 0, 0}, {"DELETED", 0, 0}}},
		{"-1 is 1", running, "", func(d *deleter) { d.delete(grace(-1)) },
			[]write{{"MODIFIED", 1, time.Second}}},
		{"a shortening counts from the first delete", running, "", func(d *deleter) {
			d.delete(grace(60))
			d.wait(5 * time.Second)
			d.delete(grace(20))
		}, []write{{"MODIFIED", 60, 60 * time.Second}, {"MODIFIED", 20, 20 * time.Second}}},
		{"a moment that has passed", running, "", func(d *deleter) {
			d.delete(grace(60))
			d.wait(30 * time.Second)
			d.delete(grace(10))
		}, []write{{"MODIFIED", 60, 60 * time.Second}, passed}},
		{"a longer or an equal grace changes nothing", running, "", func(d *deleter) {
			d.delete(grace(10))
			d.delete(grace(60))
			d.delete(grace(10))
			d.delete(nil)
		}, []write{{"MODIFIED", 10, 10 * time.Second}}},
		{"a force after a delete", running, "", func(d *deleter) {
			d.delete(grace(60))
			d.wait(3 * time.Second)
			d.delete(grace(0))
		}, []write{{"MODIFIED", 60, 60 * time.Second}, {"MODIFIED", 0, forced}, {"DELETED", 0, forced}}},
		{"without a node there is no grace", func(p *corev1.Pod) { p.Spec.NodeName = "" }, "", func(d *deleter) { d.delete(grace(30)) },
			[]write{{"MODIFIED", 0, 0}, {"DELETED", 0, 0}}},
		{"a pod in a final phase has none", running, "Failed", func(d *deleter) { d.delete(grace(30)) },
			[]write{{"MODIFIED", 0, 0}, {"DELETED", 0, 0}}},
		{"a finalizer holds the removal back", func(p *corev1.Pod) { p.Finalizers = []string{"kgrace.test/hold"} }, "",
			func(d *deleter) { d.delete(grace(0)) }, []write{{"MODIFIED", 0, 0}}},
		{"what held it back is taken away", func(p *corev1.Pod) { p.Finalizers = []string{"kgrace.test/hold"} }, "", func(d *deleter) {
			d.delete(grace(0))
			d.must(d.server.RemoveFinalizers("default", "pod"))
		}, []write{{"MODIFIED", 0, 0}, {"DELETED", 0, 0}}},
		{"a finalizer that goes while there is grace left", func(p *corev1.Pod) { p.Finalizers = []string{"kgrace.test/hold"} }, "", func(d *deleter) {
			d.delete(grace(10))
			d.must(d.server.RemoveFinalizers("default", "pod"))
			d.delete(grace(0))
		}, []write{{"MODIFIED", 10, 10 * time.Second}, {"MODIFIED", 10, 10 * time.Second}, {"MODIFIED", 0, 0}, {"DELETED", 0, 0}}},
		{"a spec of 0 makes a plain delete a force", func(p *corev1.Pod) { p.Spec.TerminationGracePeriodSeconds = grace(0) }, "",
			func(d *deleter) { d.delete(nil) }, []write{{"MODIFIED", 0, 0}, {"DELETED", 0, 0}}},
		{"an annotation asks for nothing", running, "", func(d *deleter) { d.must(d.server.Annotate("default", "pod", "a", "b")) },
			[]write{{"MODIFIED", 0, 0}}},
		{"stamps have whole seconds", running, "", func(d *deleter) {
			d.wait(700 * time.Millisecond)
			d.delete(grace(10))
		}, []write{{"MODIFIED", 10, 10 * time.Second}}},
		{"another pod's UID is a conflict", running, "", func(d *deleter) {
			uid := types.UID("other")
			_, err := d.server.Delete("default", "pod", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
			if !apierrors.IsConflict(err) {
				d.t.Errorf("got %v", err)
			}
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got []write
				begin := time.Now()
				recording := false
				server := simapi.New(history.SinkFunc(func(e history.Event) {
					if !recording || e.Kind != history.APIPod {
						return
					}
					w := write{reason: e.Reason}
					if e.Grace != nil {
						w.grace = *e.Grace
					}
					if e.Deletion != nil {
						w.deletion = e.Deletion.Sub(begin)
					}
					got = append(got, w)
				}))
				g := int64(spec)
				pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "default"}, Spec: corev1.PodSpec{
					NodeName: "node", TerminationGracePeriodSeconds: &g, Containers: []corev1.Container{{Name: "main", Image: "image"}}}}
				c.change(pod)
				if _, err := server.Create(pod); err != nil {
					t.Fatal(err)
				}
				if c.phase != "" {
					made, _ := server.Get("default", "pod")
					patch := []byte(`{"metadata":{"uid":"` + string(made.UID) + `"},"status":{"phase":"` + c.phase + `"}}`)
					if _, err := server.PatchStatus("default", "pod", patch); err != nil {
						t.Fatal(err)
					}
				}
				recording = true
				c.do(&deleter{t, server})
				if len(got) != len(c.want) {
					t.Fatalf("got %+v, want %+v", got, c.want)
				}
				for i := range got {
					if got[i] != c.want[i] {
						t.Errorf("write %d: got %+v, want %+v", i, got[i], c.want[i])
					}
				}
			})
		})
	}
}

type deleter struct {
	t      *testing.T
	server *simapi.Server
}

func (d *deleter) delete(grace *int64) {
	d.t.Helper()
	if _, err := d.server.Delete("default", "pod", metav1.DeleteOptions{GracePeriodSeconds: grace}); err != nil {
		d.t.Error(err)
	}
}

func (d *deleter) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Error(err)
	}
}

func (d *deleter) wait(t time.Duration) { time.Sleep(t) }

func grace(n int64) *int64 { return &n }

func TestCreateRefusesWhatTheAPIServerRefuses(t *testing.T) {
	server := simapi.New(history.SinkFunc(func(history.Event) {}))
	_, err := server.Create(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "default"}})
	if !apierrors.IsInvalid(err) {
		t.Errorf("a pod without containers: %v", err)
	}
}
