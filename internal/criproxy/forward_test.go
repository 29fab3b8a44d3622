// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package criproxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/wrapperspb"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
)

func TestMetadataDeadlineAndStatusPassThrough(t *testing.T) {
	var got metadata.MD
	var deadline time.Time
	f := &fakeRuntime{exec: func(ctx context.Context, r *runtimev1.ExecSyncRequest) (*runtimev1.ExecSyncResponse, error) {
		got, _ = metadata.FromIncomingContext(ctx)
		deadline, _ = ctx.Deadline()
		_ = grpc.SetHeader(ctx, metadata.Pairs("header", "h1", "header", "h2"))
		_ = grpc.SetTrailer(ctx, metadata.Pairs("trailer-bin", "\x00\xff"))
		s, err := status.New(codes.ResourceExhausted, "no more").WithDetails(durationpb.New(time.Minute))
		if err != nil {
			return nil, err
		}
		return nil, s.Err()
	}}
	b := newBench(t, f, nil)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	ctx = metadata.AppendToOutgoingContext(ctx, "traceparent", "00-1", "key", "a", "key", "b", "raw-bin", "\x01\x02")
	var header, trailer metadata.MD
	_, err := b.client.ExecSync(ctx, &runtimev1.ExecSyncRequest{ContainerId: "x"}, grpc.Header(&header), grpc.Trailer(&trailer))

	s := status.Convert(err)
	if s.Code() != codes.ResourceExhausted || s.Message() != "no more" || len(s.Details()) != 1 ||
		!proto.Equal(s.Details()[0].(proto.Message), durationpb.New(time.Minute)) {
		t.Errorf("status: %v %v", err, s.Details())
	}
	for key, want := range map[string][]string{"traceparent": {"00-1"}, "key": {"a", "b"}, "raw-bin": {"\x01\x02"}} {
		if diff := cmp.Diff(want, got.Get(key)); diff != "" {
			t.Errorf("metadata %s at the runtime: %s", key, diff)
		}
	}
	if diff := cmp.Diff([]string{"h1", "h2"}, header.Get("header")); diff != "" {
		t.Errorf("header: %s", diff)
	}
	if diff := cmp.Diff([]string{"\x00\xff"}, trailer.Get("trailer-bin")); diff != "" {
		t.Errorf("trailer: %s", diff)
	}
	// The caller's deadline, not one of the proxy's, up to the rounding on the wire.
	want, _ := ctx.Deadline()
	if d := deadline.Sub(want).Abs(); d > time.Minute {
		t.Errorf("deadline at the runtime is %v, expected the caller's %v", deadline, want)
	}
}

func TestMessagesPassThroughWhole(t *testing.T) {
	// Fields that this CRI version does not know, and more bytes than gRPC accepts by default.
	unknown := []byte{0xfa, 0x3f, 0x03, 'n', 'e', 'w'} // field 1023
	var got *runtimev1.ExecSyncRequest
	f := &fakeRuntime{exec: func(_ context.Context, r *runtimev1.ExecSyncRequest) (*runtimev1.ExecSyncResponse, error) {
		got = r
		reply := &runtimev1.ExecSyncResponse{Stdout: bytes.Repeat([]byte("x"), 20<<20), ExitCode: 3}
		reply.ProtoReflect().SetUnknown(unknown)
		return reply, nil
	}}
	b := newBench(t, f, nil)
	request := &runtimev1.ExecSyncRequest{ContainerId: "x", Cmd: []string{strings.Repeat("y", 20<<20)}}
	request.ProtoReflect().SetUnknown(unknown)
	reply, err := b.client.ExecSync(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(request, got) {
		t.Error("the request was changed")
	}
	if len(reply.GetStdout()) != 20<<20 || !bytes.Equal(reply.ProtoReflect().GetUnknown(), unknown) {
		t.Error("the reply was changed")
	}
}

// A slow read-only call is recorded with its time; a quick one or a stream is not.
func TestSlowLooks(t *testing.T) {
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name string
		took time.Duration
		want bool
	}{
		{"ListPodSandbox", 99 * time.Millisecond, false}, {"ListPodSandbox", 3 * time.Second, true}, {"GetContainerEvents", time.Hour, false},
	} {
		e, ok := methods["/runtime.v1.RuntimeService/"+c.name].slowLook(begin, c.took)
		if ok != c.want || ok && (e.Call != c.name || !e.At.Equal(begin) || e.Late != c.took.Seconds()) {
			t.Errorf("%s in %v: %+v, %v", c.name, c.took, e, ok)
		}
	}
}

func TestCancelReachesTheRuntime(t *testing.T) {
	entered, left := make(chan struct{}), make(chan error, 1)
	f := &fakeRuntime{stop: func(ctx context.Context, _ *runtimev1.StopContainerRequest) (*runtimev1.StopContainerResponse, error) {
		close(entered)
		<-ctx.Done()
		left <- ctx.Err()
		return nil, ctx.Err()
	}}
	b := newBench(t, f, nil)
	id := b.create("main")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.stop(ctx, id, 60) }()
	<-entered
	for _, e := range b.log.History().Events {
		if isReturn("StopContainer")(e) {
			t.Fatal("the return was recorded while the call was under way")
		}
	}
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the runtime's context ended with %v", err)
	}
	if err := <-ended; status.Code(err) != codes.Canceled {
		t.Errorf("the caller got %v", err)
	}
	call := b.wait("the call", isCall("StopContainer"))
	back := b.wait("the return", isReturn("StopContainer"))
	if back.Error != "Canceled" || back.CallID != call.CallID || back.Pod != "p" || back.Container != "main" {
		t.Errorf("recorded %+v after %+v", back, call)
	}
}

func TestCallsOfOneContainerRunSideBySide(t *testing.T) {
	first := make(chan struct{})
	f := &fakeRuntime{stop: func(ctx context.Context, r *runtimev1.StopContainerRequest) (*runtimev1.StopContainerResponse, error) {
		if r.GetTimeout() == 60 {
			<-first // ends only after the second one
		} else {
			close(first)
		}
		return &runtimev1.StopContainerResponse{}, nil
	}}
	b := newBench(t, f, nil)
	id := b.create("main")
	ended := make(chan error, 1)
	go func() { ended <- b.stop(t.Context(), id, 60) }()
	b.wait("the first stop", isCall("StopContainer"))
	if err := b.stop(t.Context(), id, 0); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	calls := b.print(history.CRICall)
	want := []string{"cri.call StopContainer p/main id-main grace=60", "cri.call StopContainer p/main id-main grace=0"}
	if diff := cmp.Diff(want, calls[len(calls)-2:]); diff != "" {
		t.Error(diff)
	}
}

func TestServerStream(t *testing.T) {
	b := newBench(t, &fakeRuntime{}, nil)
	stream, err := b.client.StreamContainers(t.Context(), &runtimev1.StreamContainersRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for {
		reply, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, reply.GetContainers()[0].GetId())
	}
	if diff := cmp.Diff([]string{"streamed-0", "streamed-1", "streamed-2"}, ids); diff != "" {
		t.Error(diff)
	}
	// The proxy has learned their names from the stream.
	if err := b.stop(t.Context(), "streamed-2", 1); err != nil {
		t.Fatal(err)
	}
	if e := b.wait("a stop", isCall("StopContainer")); e.Container != "c2" {
		t.Errorf("got %+v", e)
	}
}

func TestStreamIsCancelledUpstream(t *testing.T) {
	ended := make(chan struct{})
	f := &fakeRuntime{}
	f.events = func(s runtimev1.RuntimeService_GetContainerEventsServer) error {
		md, _ := metadata.FromIncomingContext(s.Context())
		if len(md.Get("test")) == 0 { // the proxy's own subscription
			<-s.Context().Done()
			return nil
		}
		if err := s.Send(&runtimev1.ContainerEventResponse{ContainerId: "x"}); err != nil {
			return err
		}
		<-s.Context().Done()
		close(ended)
		return s.Context().Err()
	}
	b := newBench(t, f, nil)
	ctx, cancel := context.WithCancel(metadata.AppendToOutgoingContext(t.Context(), "test", "1"))
	stream, err := b.client.GetContainerEvents(ctx, &runtimev1.GetEventsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if e, err := stream.Recv(); err != nil || e.GetContainerId() != "x" {
		t.Fatalf("an event is not passed on while the stream is open: %v, %v", e, err)
	}
	cancel()
	<-ended
}

// echo returns a service that CRI does not have, with a stream in both directions.
func echo(t *testing.T) *grpc.ServiceDesc {
	return &grpc.ServiceDesc{ServiceName: "test.Other", Streams: []grpc.StreamDesc{{
		StreamName: "Echo", ServerStreams: true, ClientStreams: true,
		Handler: func(_ any, s grpc.ServerStream) error {
			for {
				in := new(wrapperspb.StringValue)
				if err := s.RecvMsg(in); errors.Is(err, io.EOF) {
					return status.Error(codes.DataLoss, "over")
				} else if err != nil {
					return err
				}
				if err := s.SendMsg(wrapperspb.String("re: " + in.GetValue())); err != nil {
					return err
				}
			}
		},
	}}}
}

func TestUnknownServicePassesThrough(t *testing.T) {
	b := newBench(t, &fakeRuntime{}, nil, echo(t))
	stream, err := b.conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/test.Other/Echo")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"one", "two"} {
		if err := stream.SendMsg(wrapperspb.String(word)); err != nil {
			t.Fatal(err)
		}
		got := new(wrapperspb.StringValue)
		if err := stream.RecvMsg(got); err != nil || got.GetValue() != "re: "+word {
			t.Fatalf("got %v, %v", got, err)
		}
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if err := stream.RecvMsg(new(wrapperspb.StringValue)); status.Code(err) != codes.DataLoss {
		t.Errorf("got %v", err)
	}
	// An unknown method.
	err = b.conn.Invoke(t.Context(), "/test.Other/None", wrapperspb.String("x"), new(wrapperspb.StringValue))
	if status.Code(err) != codes.Unimplemented {
		t.Errorf("got %v, expected the runtime's Unimplemented", err)
	}
}
