// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package criproxy

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
)

var finished = time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC)

func exited(id, container string, code int32) *runtimev1.ContainerStatus {
	return &runtimev1.ContainerStatus{
		Id: id, Metadata: &runtimev1.ContainerMetadata{Name: container}, Labels: labels("p", container),
		State: runtimev1.ContainerState_CONTAINER_EXITED, FinishedAt: finished.UnixNano(), ExitCode: code, Reason: "Error",
	}
}

func stoppedEvent(id string, statuses ...*runtimev1.ContainerStatus) *runtimev1.ContainerEventResponse {
	return &runtimev1.ContainerEventResponse{
		ContainerId: id, ContainerEventType: runtimev1.ContainerEventType_CONTAINER_STOPPED_EVENT,
		CreatedAt:          finished.Add(time.Second).UnixNano(),
		PodSandboxStatus:   &runtimev1.PodSandboxStatus{Id: "sandbox-p", Metadata: &runtimev1.PodSandboxMetadata{Name: "p"}},
		ContainersStatuses: statuses,
	}
}

func isExit(id string) func(history.Event) bool {
	return func(e history.Event) bool { return e.Kind == history.ContainerExit && e.ContainerID == id }
}

// withEvents returns a runtime whose event stream sends the events from the channel.
func withEvents() (*fakeRuntime, chan *runtimev1.ContainerEventResponse) {
	events := make(chan *runtimev1.ContainerEventResponse)
	return &fakeRuntime{events: func(s runtimev1.RuntimeService_GetContainerEventsServer) error {
		for {
			select {
			case e := <-events:
				if err := s.Send(e); err != nil {
					return err
				}
			case <-s.Context().Done():
				return nil
			}
		}
	}}, events
}

func TestExitsFromEvents(t *testing.T) {
	f, events := withEvents()
	b := newBench(t, f, nil)
	running := exited("two", "sidecar", 0)
	running.State, running.FinishedAt = runtimev1.ContainerState_CONTAINER_RUNNING, 0
	events <- stoppedEvent("one", exited("one", "main", 137), running)
	events <- stoppedEvent("one", exited("one", "main", 137), running) // reported twice, recorded once
	events <- stoppedEvent("two", exited("two", "sidecar", 0))
	e := b.wait("the first exit", isExit("one"))
	if !e.At.Equal(finished) {
		t.Errorf("At is %v, expected finishedAt", e.At)
	}
	b.wait("the second exit", isExit("two"))
	want := []string{"cri.exit p/main one exit=137 Error", "cri.exit p/sidecar two exit=0 Error"}
	if diff := cmp.Diff(want, b.print(history.ContainerExit)); diff != "" {
		t.Error(diff)
	}
	if err := b.proxy.ExitsErr(); err != nil {
		t.Error(err)
	}
}

func TestSandboxIsNoContainer(t *testing.T) {
	f, events := withEvents()
	exits := make(chan history.Event, 4)
	newBench(t, f, func(o *Options) { // a separate sink, because the recorder would drop events without a pod
		o.Record = history.SinkFunc(func(e history.Event) {
			if e.Kind == history.ContainerExit {
				exits <- e
			}
		})
	})
	events <- stoppedEvent("sandbox-p")
	told := stoppedEvent("sandbox-p")
	told.PodSandboxStatus = nil // already known
	events <- told
	events <- stoppedEvent("one", exited("one", "main", 0))
	if e := <-exits; e.ContainerID != "one" {
		t.Errorf("recorded %+v", e)
	}
}

func TestExitOfARemovedContainer(t *testing.T) {
	f, events := withEvents()
	b := newBench(t, f, nil)
	id := b.create("main")
	events <- stoppedEvent(id) // without its status
	e := b.wait("the exit", isExit(id))
	if !e.At.Equal(finished.Add(time.Second)) || e.ExitCode != nil || e.Container != "main" || !strings.Contains(e.Message, "status was gone") {
		t.Errorf("recorded %+v, expected the event's own time, no code, and a message about it", e)
	}
}

func TestExitSeenInAStatusReply(t *testing.T) {
	f := &fakeRuntime{statuses: map[string]*runtimev1.ContainerStatus{"one": exited("one", "main", 1)}}
	b := newBench(t, f, nil)
	for range 2 {
		if _, err := b.client.ContainerStatus(t.Context(), &runtimev1.ContainerStatusRequest{ContainerId: "one"}); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.print(history.ContainerExit); len(got) != 1 || got[0] != "cri.exit p/main one exit=1 Error" {
		t.Errorf("recorded %v", got)
	}
}

func TestRuntimeWithoutEvents(t *testing.T) {
	f := &fakeRuntime{statuses: map[string]*runtimev1.ContainerStatus{"one": exited("one", "main", 1)}}
	f.events = func(s runtimev1.RuntimeService_GetContainerEventsServer) error {
		return runtimev1.UnimplementedRuntimeServiceServer{}.GetContainerEvents(nil, s)
	}
	logged := make(chan string, 16)
	b := newBench(t, f, func(o *Options) { o.Log = writerFunc(func(s string) { logged <- s }) })
	if s := <-logged; !strings.Contains(s, "does not implement GetContainerEvents") {
		t.Errorf("logged %q", s)
	}
	if err := b.proxy.ExitsErr(); err == nil || !strings.Contains(err.Error(), "does not implement GetContainerEvents") {
		t.Errorf("ExitsErr: %v", err)
	}
	if _, err := b.client.ContainerStatus(t.Context(), &runtimev1.ContainerStatusRequest{ContainerId: "one"}); err != nil {
		t.Fatal(err)
	}
	b.wait("the exit", isExit("one"))
}

type writerFunc func(string)

func (f writerFunc) Write(p []byte) (int, error) {
	f(string(p))
	return len(p), nil
}

func TestRuntimeRestartLosesNoExit(t *testing.T) {
	f, events := withEvents()
	b := newBench(t, f, nil)
	events <- stoppedEvent("one", exited("one", "main", 0))
	b.wait("the first exit", isExit("one"))

	// A container ends while the runtime is down; only the list reports it, no event does.
	b.stopRuntime()
	again, events := withEvents()
	again.listed = []*runtimev1.Container{
		{Id: "one", State: runtimev1.ContainerState_CONTAINER_EXITED, Labels: labels("p", "main")},
		{Id: "two", State: runtimev1.ContainerState_CONTAINER_EXITED, Labels: labels("p", "sidecar")},
		{Id: "gone", State: runtimev1.ContainerState_CONTAINER_EXITED, Labels: labels("p", "x")}, // removed before its status is queried
		{Id: "three", State: runtimev1.ContainerState_CONTAINER_RUNNING, Labels: labels("p", "late")},
	}
	again.statuses = map[string]*runtimev1.ContainerStatus{"one": exited("one", "main", 0), "two": exited("two", "sidecar", 2)}
	serveRuntime(t, b.upstream, again)
	b.wait("the exit during the restart", isExit("two"))

	// The subscription works again.
	events <- stoppedEvent("three", exited("three", "late", 3))
	b.wait("the exit after it", isExit("three"))
	want := []string{"cri.exit p/main one exit=0 Error", "cri.exit p/sidecar two exit=2 Error", "cri.exit p/late three exit=3 Error"}
	if diff := cmp.Diff(want, b.print(history.ContainerExit)); diff != "" {
		t.Error(diff)
	}
}

func TestExitsOfARuntimeThatComesUpLate(t *testing.T) {
	b := newBench(t, nil, nil)
	f, events := withEvents()
	serveRuntime(t, b.upstream, f)
	events <- stoppedEvent("one", exited("one", "main", 0))
	b.wait("the exit", isExit("one"))
}
