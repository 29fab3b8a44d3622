// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package criproxy

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
)

// fakeRuntime is a CRI runtime controlled by the test.
type fakeRuntime struct {
	runtimev1.UnimplementedRuntimeServiceServer
	runtimev1.UnimplementedImageServiceServer

	stop   func(context.Context, *runtimev1.StopContainerRequest) (*runtimev1.StopContainerResponse, error)
	exec   func(context.Context, *runtimev1.ExecSyncRequest) (*runtimev1.ExecSyncResponse, error)
	events func(runtimev1.RuntimeService_GetContainerEventsServer) error

	mu       sync.Mutex
	stops    []*runtimev1.StopContainerRequest
	listed   []*runtimev1.Container
	statuses map[string]*runtimev1.ContainerStatus
}

func (f *fakeRuntime) Version(context.Context, *runtimev1.VersionRequest) (*runtimev1.VersionResponse, error) {
	return &runtimev1.VersionResponse{RuntimeName: "fake"}, nil
}

func (f *fakeRuntime) RunPodSandbox(_ context.Context, r *runtimev1.RunPodSandboxRequest) (*runtimev1.RunPodSandboxResponse, error) {
	return &runtimev1.RunPodSandboxResponse{PodSandboxId: "sandbox-" + r.GetConfig().GetMetadata().GetName()}, nil
}

func (f *fakeRuntime) StopPodSandbox(context.Context, *runtimev1.StopPodSandboxRequest) (*runtimev1.StopPodSandboxResponse, error) {
	return &runtimev1.StopPodSandboxResponse{}, nil
}

func (f *fakeRuntime) CreateContainer(_ context.Context, r *runtimev1.CreateContainerRequest) (*runtimev1.CreateContainerResponse, error) {
	return &runtimev1.CreateContainerResponse{ContainerId: "id-" + r.GetConfig().GetMetadata().GetName()}, nil
}

func (f *fakeRuntime) StopContainer(ctx context.Context, r *runtimev1.StopContainerRequest) (*runtimev1.StopContainerResponse, error) {
	f.mu.Lock()
	f.stops = append(f.stops, r)
	f.mu.Unlock()
	if f.stop != nil {
		return f.stop(ctx, r)
	}
	return &runtimev1.StopContainerResponse{}, nil
}

func (f *fakeRuntime) stopped() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.stops)
}

func (f *fakeRuntime) ExecSync(ctx context.Context, r *runtimev1.ExecSyncRequest) (*runtimev1.ExecSyncResponse, error) {
	return f.exec(ctx, r)
}

func (f *fakeRuntime) ListPodSandbox(context.Context, *runtimev1.ListPodSandboxRequest) (*runtimev1.ListPodSandboxResponse, error) {
	return &runtimev1.ListPodSandboxResponse{}, nil
}

func (f *fakeRuntime) ListContainers(context.Context, *runtimev1.ListContainersRequest) (*runtimev1.ListContainersResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &runtimev1.ListContainersResponse{Containers: f.listed}, nil
}

func (f *fakeRuntime) StreamContainers(_ *runtimev1.StreamContainersRequest, s runtimev1.RuntimeService_StreamContainersServer) error {
	for i := range 3 {
		c := &runtimev1.Container{Id: fmt.Sprint("streamed-", i), Labels: labels("p", fmt.Sprint("c", i))}
		if err := s.Send(&runtimev1.StreamContainersResponse{Containers: []*runtimev1.Container{c}}); err != nil {
			return err
		}
	}
	return nil
}

func (f *fakeRuntime) ContainerStatus(_ context.Context, r *runtimev1.ContainerStatusRequest) (*runtimev1.ContainerStatusResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.statuses[r.GetContainerId()]
	if !ok {
		return nil, status.Errorf(codes.NotFound, "no container %q", r.GetContainerId())
	}
	return &runtimev1.ContainerStatusResponse{Status: s}, nil
}

func (f *fakeRuntime) GetContainerEvents(_ *runtimev1.GetEventsRequest, s runtimev1.RuntimeService_GetContainerEventsServer) error {
	if f.events != nil {
		return f.events(s)
	}
	<-s.Context().Done()
	return nil
}

func labels(pod, container string) map[string]string {
	return map[string]string{podLabel: pod, containerLabel: container}
}

// serveRuntime runs a runtime on a socket until stop is called.
func serveRuntime(t *testing.T, path string, f *fakeRuntime, more ...*grpc.ServiceDesc) (stop func()) {
	t.Helper()
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(64<<20), grpc.WaitForHandlers(true))
	runtimev1.RegisterRuntimeServiceServer(server, f)
	runtimev1.RegisterImageServiceServer(server, f)
	for _, desc := range more {
		server.RegisterService(desc, nil)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	stop = sync.OnceFunc(func() {
		server.Stop()
		<-done
	})
	t.Cleanup(stop)
	return stop
}

// bench is a runtime, the proxy before it, a client of the proxy, and the history of pod p.
type bench struct {
	t       *testing.T
	runtime *fakeRuntime
	proxy   *Proxy
	conn    *grpc.ClientConn
	client  runtimev1.RuntimeServiceClient
	log     *history.Log

	upstream    string
	stopRuntime func()
}

// tempDir returns a directory with a short path: one with the name of the test is too long for a socket.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "cri")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func newBench(t *testing.T, f *fakeRuntime, change func(*Options), more ...*grpc.ServiceDesc) *bench {
	t.Helper()
	dir := tempDir(t)
	b := &bench{t: t, runtime: f, upstream: filepath.Join(dir, "up.sock")}
	recorder := history.NewRecorder()
	var err error
	if b.log, err = recorder.Open(history.Header{Scenario: "s", Pod: "p"}); err != nil {
		t.Fatal(err)
	}
	if f != nil {
		b.stopRuntime = serveRuntime(t, b.upstream, f, more...)
	}
	options := Options{Listen: filepath.Join(dir, "proxy.sock"), Upstream: b.upstream, Record: recorder, Log: logTo{t}}
	if change != nil {
		change(&options)
	}
	if b.proxy, err = Start(context.Background(), options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.proxy.Close() })
	b.conn, err = grpc.NewClient("unix://"+options.Listen, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.conn.Close() })
	b.client = runtimev1.NewRuntimeServiceClient(b.conn)
	return b
}

type logTo struct{ t *testing.T }

func (l logTo) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// create makes the proxy learn a container of pod p.
func (b *bench) create(container string) (id string) {
	b.t.Helper()
	sandbox, err := b.client.RunPodSandbox(b.t.Context(), &runtimev1.RunPodSandboxRequest{
		Config: &runtimev1.PodSandboxConfig{Metadata: &runtimev1.PodSandboxMetadata{Name: "p", Namespace: "ns", Uid: "u"}},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	created, err := b.client.CreateContainer(b.t.Context(), &runtimev1.CreateContainerRequest{
		PodSandboxId: sandbox.GetPodSandboxId(),
		Config: &runtimev1.ContainerConfig{
			Metadata: &runtimev1.ContainerMetadata{Name: container},
			Envs:     []*runtimev1.KeyValue{{Key: "PASSWORD", Value: []byte("hush")}},
		},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return created.GetContainerId()
}

func (b *bench) stop(ctx context.Context, id string, timeout int64) error {
	_, err := b.client.StopContainer(ctx, &runtimev1.StopContainerRequest{ContainerId: id, Timeout: timeout})
	return err
}

func (b *bench) wait(what string, match func(history.Event) bool) history.Event {
	b.t.Helper()
	e, err := b.log.Wait(b.t.Context(), what, match)
	if err != nil {
		b.t.Fatal(err)
	}
	return e
}

func isCall(method string) func(history.Event) bool {
	return func(e history.Event) bool { return e.Kind == history.CRICall && e.Call == method }
}

func isReturn(method string) func(history.Event) bool {
	return func(e history.Event) bool { return e.Kind == history.CRIReturn && e.Call == method }
}

// print returns the recorded events of some kinds as short lines.
func (b *bench) print(kinds ...history.Kind) []string {
	var got []string
	for _, e := range b.log.History().Events {
		for _, kind := range kinds {
			if e.Kind == kind {
				got = append(got, short(e))
			}
		}
	}
	return got
}

func short(e history.Event) string {
	s := fmt.Sprintf("%s %s %s/%s %s", e.Kind, e.Call, e.Pod, e.Container, e.ContainerID)
	if e.Grace != nil {
		s += fmt.Sprintf(" grace=%d", *e.Grace)
	}
	if e.ExitCode != nil {
		s += fmt.Sprintf(" exit=%d", *e.ExitCode)
	}
	return strings.Join(strings.Fields(s+" "+e.Error+" "+e.Reason+" "+e.Message), " ")
}
