// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package apiwatch

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kgrace/kgrace/internal/history"
)

// apiServer answers lists and watches of one resource as the test specifies, over real HTTP.
type apiServer struct {
	client  *kubernetes.Clientset
	lists   chan any       // the next list's answer
	watches chan watchCall // a watch that was opened
}

type watchCall struct {
	version string
	events  chan any // closed: the connection breaks
}

func newAPIServer(t *testing.T) *apiServer {
	s := &apiServer{lists: make(chan any, 4), watches: make(chan watchCall, 4)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if !strings.HasPrefix(r.URL.Path, "/api/v1/namespaces/ns/") {
			t.Errorf("asked for %s", r.URL.Path)
		}
		out := json.NewEncoder(w)
		if r.URL.Query().Get("watch") == "" {
			_ = out.Encode(<-s.lists)
			return
		}
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		call := watchCall{version: r.URL.Query().Get("resourceVersion"), events: make(chan any)}
		s.watches <- call
		for {
			select {
			case event, ok := <-call.events:
				if !ok {
					return
				}
				_ = out.Encode(event)
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	var err error
	s.client, err = kubernetes.NewForConfig(&rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func pod(name, version string, change func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", UID: types.UID("uid-" + name), ResourceVersion: version},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning},
	}
	if change != nil {
		change(p)
	}
	return p
}

func podList(version string, pods ...*corev1.Pod) *corev1.PodList {
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}, ListMeta: metav1.ListMeta{ResourceVersion: version}}
	for _, p := range pods {
		list.Items = append(list.Items, *p)
	}
	return list
}

func event(kind string, object any) any {
	return map[string]any{"type": kind, "object": object}
}

// record opens one history for the pods p, q and r and returns functions that wait for n events and print them.
func record(t *testing.T) (*history.Recorder, func(n int) []string) {
	recorder := history.NewRecorder()
	log, err := recorder.Open(history.Header{Scenario: "s", Pod: "p"}, "q", "r")
	if err != nil {
		t.Fatal(err)
	}
	return recorder, func(n int) []string {
		t.Helper()
		var got []string
		err := log.WaitAll(t.Context(), fmt.Sprint(n, " events"), func(events []history.Event) bool { return len(events) >= n })
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range log.History().Events {
			grace := "unset"
			if e.Grace != nil {
				grace = fmt.Sprint(*e.Grace)
			}
			got = append(got, strings.Join(strings.Fields(fmt.Sprint(e.Kind, " ", e.Pod, " ", e.Container, " ", e.Reason, " ", e.Message, " ", grace)), " "))
			if e.At.IsZero() {
				t.Errorf("no time: %+v", e)
			}
		}
		return got
	}
}

func TestPods(t *testing.T) {
	api := newAPIServer(t)
	sink, wait := record(t)
	api.lists <- podList("10", pod("p", "9", nil))
	w, err := Pods(t.Context(), api.client, "ns", sink)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	first := <-api.watches
	if first.version != "10" {
		t.Errorf("the watch starts at version %q, expected that of the list", first.version)
	}
	deletion := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	marked := func(grace int64) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.DeletionGracePeriodSeconds, p.DeletionTimestamp = &grace, &deletion
		}
	}
	first.events <- event("MODIFIED", pod("p", "11", marked(60)))
	first.events <- event("BOOKMARK", pod("", "12", nil))
	first.events <- event("MODIFIED", pod("p", "13", marked(0)))
	wait(3)

	// The connection breaks: the watch resumes where it was, and nothing is recorded twice.
	close(first.events)
	second := <-api.watches
	if second.version != "13" {
		t.Errorf("the watch resumes at version %q, expected the last one seen", second.version)
	}
	second.events <- event("ADDED", pod("q", "14", nil))
	second.events <- event("ADDED", pod("r", "15", nil))
	wait(5)

	// The version is gone: a list shows what was missed, including the removal of p. Nothing happened to r.
	second.events <- event("ERROR", &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonExpired, Message: "too old",
	})
	api.lists <- podList("20", pod("q", "19", marked(5)), pod("r", "15", nil))
	third := <-api.watches
	if third.version != "20" {
		t.Errorf("after the list the watch starts at version %q", third.version)
	}
	third.events <- event("DELETED", pod("q", "21", marked(0)))

	want := []string{
		"api.pod p ADDED Running unset",
		"api.pod p MODIFIED Running 60",
		"api.pod p MODIFIED Running 0",
		"api.pod q ADDED Running unset",
		"api.pod r ADDED Running unset",
		"api.pod p DELETED Running 0",
		"api.pod q MODIFIED Running 5",
		"api.pod q DELETED Running 0",
	}
	if diff := cmp.Diff(want, wait(len(want))); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
	w.Stop()
	if err := w.Err(); err != nil {
		t.Errorf("a stopped watch has error %v", err)
	}
}

func TestPodsRefusedIsAnError(t *testing.T) {
	api := newAPIServer(t)
	sink, _ := record(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Pods(ctx, api.client, "ns", sink); err == nil || !strings.Contains(err.Error(), "pods in namespace ns") {
		t.Errorf("got %v, expected an error that names the request", err)
	}
}

func TestEvents(t *testing.T) {
	api := newAPIServer(t)
	sink, wait := record(t)
	kubelet := func(name, version, reason string, count int32, change func(*corev1.Event)) *corev1.Event {
		e := &corev1.Event{
			TypeMeta:       metav1.TypeMeta{Kind: "Event", APIVersion: "v1"},
			ObjectMeta:     metav1.ObjectMeta{Name: name, Namespace: "ns", UID: types.UID(name), ResourceVersion: version},
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "p", FieldPath: "spec.containers{main}"},
			Source:         corev1.EventSource{Component: "kubelet"},
			Reason:         reason, Message: "m", Count: count,
		}
		if change != nil {
			change(e)
		}
		return e
	}
	api.lists <- &corev1.EventList{TypeMeta: metav1.TypeMeta{Kind: "EventList", APIVersion: "v1"}, ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	w, err := Events(t.Context(), api.client, "ns", sink)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	call := <-api.watches
	call.events <- event("ADDED", kubelet("a", "2", "Scheduled", 1, func(e *corev1.Event) { e.Source.Component = "default-scheduler" }))
	call.events <- event("ADDED", kubelet("b", "3", "NodeReady", 1, func(e *corev1.Event) { e.InvolvedObject.Kind = "Node" }))
	call.events <- event("ADDED", kubelet("c", "4", "Killing", 1, nil))
	call.events <- event("MODIFIED", kubelet("c", "5", "Killing", 2, nil))
	call.events <- event("DELETED", kubelet("c", "6", "Killing", 2, nil))
	call.events <- event("ADDED", kubelet("d", "7", "FailedKillPod", 1, func(e *corev1.Event) {
		e.Source.Component, e.ReportingController = "", "kubelet"
		e.InvolvedObject.FieldPath = ""
	}))
	want := []string{
		"kubelet.event p main Killing m unset",
		"kubelet.event p main Killing m unset",
		"kubelet.event p FailedKillPod m unset",
	}
	if diff := cmp.Diff(want, wait(len(want))); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}
