// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package criproxy

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	taskevents "github.com/containerd/containerd/api/events"
	eventservice "github.com/containerd/containerd/api/services/events/v1"
	"github.com/containerd/containerd/api/types"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/timestamppb"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
)

// alphaRuntime serves the fake as a runtime that speaks both versions of the CRI, like containerd 1.6.
func alphaRuntime(f *fakeRuntime) *grpc.ServiceDesc {
	desc := runtimev1.RuntimeService_ServiceDesc
	desc.ServiceName = alpha(desc.ServiceName)
	desc.Methods = nil
	for _, m := range runtimev1.RuntimeService_ServiceDesc.Methods {
		handler := m.Handler
		m.Handler = func(_ any, ctx context.Context, decode func(any) error, i grpc.UnaryServerInterceptor) (any, error) {
			return handler(f, ctx, decode, i)
		}
		desc.Methods = append(desc.Methods, m)
	}
	desc.Streams = nil
	return &desc
}

// call makes a call as a kubelet of 1.22 does.
func (b *bench) call(method string, request, reply proto.Message) error {
	return b.conn.Invoke(b.t.Context(), "/runtime.v1alpha2.RuntimeService/"+method, request, reply)
}

func TestV1alpha2IsRecordedAndMadeToFail(t *testing.T) {
	f := &fakeRuntime{}
	b := newBench(t, f, nil, alphaRuntime(f))
	var sandbox runtimev1.RunPodSandboxResponse
	if err := b.call("RunPodSandbox", &runtimev1.RunPodSandboxRequest{
		Config: &runtimev1.PodSandboxConfig{Metadata: &runtimev1.PodSandboxMetadata{Name: "p"}}}, &sandbox); err != nil {
		t.Fatal(err)
	}
	var created runtimev1.CreateContainerResponse
	if err := b.call("CreateContainer", &runtimev1.CreateContainerRequest{PodSandboxId: sandbox.PodSandboxId,
		Config: &runtimev1.ContainerConfig{Metadata: &runtimev1.ContainerMetadata{Name: "main"}}}, &created); err != nil {
		t.Fatal(err)
	}
	remove, err := b.proxy.Inject(Fault{Method: "StopContainer", Pod: "p", Container: "main", Fail: errors.New("refused"), Times: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	stop := &runtimev1.StopContainerRequest{ContainerId: created.ContainerId, Timeout: 7}
	if err := b.call("StopContainer", stop, &runtimev1.StopContainerResponse{}); status.Code(err) != codes.Unknown {
		t.Errorf("got %v, expected the fault", err)
	}
	if err := b.call("StopContainer", stop, &runtimev1.StopContainerResponse{}); err != nil || f.stopped() != 1 {
		t.Errorf("got %v after %d stops at the runtime", err, f.stopped())
	}
	want := []string{
		"cri.call RunPodSandbox p/",
		"cri.return RunPodSandbox p/ sandbox sandbox-p",
		"cri.call CreateContainer p/main",
		"cri.return CreateContainer p/main id-main",
		"cri.call StopContainer p/main id-main grace=7 fault: fail",
		"cri.return StopContainer p/main id-main grace=7 Unknown refused",
		"cri.call StopContainer p/main id-main grace=7",
		"cri.return StopContainer p/main id-main grace=7",
	}
	if diff := cmp.Diff(want, b.print(history.CRICall, history.CRIReturn)); diff != "" {
		t.Error(diff)
	}
}

// containerdsEvents serves containerd's own events: those from the channel, to subscribers with the proxy's filter.
type containerdsEvents struct {
	eventservice.UnimplementedEventsServer
	envelopes chan *types.Envelope
	asked     chan []string
}

func (c *containerdsEvents) Subscribe(r *eventservice.SubscribeRequest, s eventservice.Events_SubscribeServer) error {
	c.asked <- r.GetFilters()
	for {
		select {
		case e := <-c.envelopes:
			if err := s.Send(e); err != nil {
				return err
			}
		case <-s.Context().Done():
			return nil
		}
	}
}

func (c *containerdsEvents) desc() *grpc.ServiceDesc {
	desc := eventservice.Events_ServiceDesc
	desc.Streams = []grpc.StreamDesc{{StreamName: "Subscribe", ServerStreams: true, Handler: func(_ any, s grpc.ServerStream) error {
		return eventservice.Events_ServiceDesc.Streams[0].Handler(c, s)
	}}}
	desc.Methods = nil
	return &desc
}

// taskExit returns the event as containerd sends it, with the bare type name.
func taskExit(t *testing.T, container, process string, code uint32) *types.Envelope {
	t.Helper()
	data, err := proto.Marshal(&taskevents.TaskExit{ContainerID: container, ID: process, ExitStatus: code, ExitedAt: timestamppb.New(finished)})
	if err != nil {
		t.Fatal(err)
	}
	return &types.Envelope{Namespace: "k8s.io", Topic: "/tasks/exit", Event: &anypb.Any{TypeUrl: "containerd.events.TaskExit", Value: data}}
}

func TestExitsOfAContainerdWithoutCRIEvents(t *testing.T) {
	f := &fakeRuntime{events: func(s runtimev1.RuntimeService_GetContainerEventsServer) error {
		return runtimev1.UnimplementedRuntimeServiceServer{}.GetContainerEvents(nil, s)
	}}
	c := &containerdsEvents{envelopes: make(chan *types.Envelope), asked: make(chan []string, 1)}
	b := newBench(t, f, nil, alphaRuntime(f), c.desc())
	id := b.create("main")
	if filters := <-c.asked; len(filters) != 1 || !strings.Contains(filters[0], `topic=="/tasks/exit"`) || !strings.Contains(filters[0], `namespace=="k8s.io"`) {
		t.Errorf("subscribed with filters %v", filters)
	}
	c.envelopes <- taskExit(t, id, "a-command", 1)
	c.envelopes <- taskExit(t, "sandbox-p", "sandbox-p", 0)
	c.envelopes <- taskExit(t, id, id, 137)
	e := b.wait("the exit", isExit(id))
	if want := "cri.exit p/main id-main exit=137"; short(e) != want || !e.At.Equal(finished) {
		t.Errorf("recorded %q at %v, want %q at %v", short(e), e.At, want, finished)
	}
	if err := b.proxy.ExitsErr(); err != nil {
		t.Error(err)
	}
	// A later status reply reports the same exit.
	f.mu.Lock()
	f.statuses = map[string]*runtimev1.ContainerStatus{id: exited(id, "main", 137)}
	f.mu.Unlock()
	if err := b.call("ContainerStatus", &runtimev1.ContainerStatusRequest{ContainerId: id}, &runtimev1.ContainerStatusResponse{}); err != nil {
		t.Fatal(err)
	}
	if got := b.print(history.ContainerExit); len(got) != 1 {
		t.Errorf("recorded %v", got)
	}
}

func TestExitWithoutATimeIsNow(t *testing.T) {
	b := newBench(t, &fakeRuntime{}, nil)
	id := b.create("main")
	begin := time.Now()
	b.proxy.exits.taskExit(&taskevents.TaskExit{ContainerID: id, ID: id})
	if e := b.wait("the exit", isExit(id)); e.At.Before(begin) {
		t.Errorf("recorded at %v, before %v", e.At, begin)
	}
}
