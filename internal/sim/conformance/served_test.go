// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
	remote "k8s.io/cri-client/pkg"
	utilexec "k8s.io/utils/exec"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/history/lines"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/unixsock"
)

// served is the simulator behind a unix socket, in real time. It runs the script of actor.sh as the actor and writes the
// containers' logs, as a real runtime does.
type served struct {
	runtimev1.UnimplementedRuntimeServiceServer
	runtimev1.UnimplementedImageServiceServer
	rt     *sim.Runtime
	socket string

	// What a test changes; nil changes nothing.
	version func(*runtimev1.VersionResponse)
	before  func(ctx context.Context, request any) error
	after   func(request, reply any)
	event   func(*runtimev1.ContainerEventResponse) bool
	line    func(word string) int // how often the line is written

	mu   sync.Mutex
	logs map[string]string // path, by pod and container
	errs []error
}

func serve(t *testing.T, behaviour sim.Behaviour, change func(*served)) *served {
	t.Helper()
	dir, err := os.MkdirTemp("", "served")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &served{socket: filepath.Join(dir, "cri.sock"), logs: map[string]string{}}
	if change != nil {
		change(s)
	}
	// In real time a signal takes some time, as on a real runtime: enough for the crowd of stops that has to come before it.
	s.rt = sim.New(sim.Options{Behaviour: behaviour, Sink: history.SinkFunc(s.write), SignalLatency: 100 * time.Millisecond})
	listener, err := unixsock.Listen(s.socket, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(s.intercept))
	runtimev1.RegisterRuntimeServiceServer(server, s)
	runtimev1.RegisterImageServiceServer(server, s)
	over := make(chan error, 1)
	go func() { over <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := errors.Join(<-over, errors.Join(s.errs...)); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			t.Error(err)
		}
		s.rt.Stop()
	})
	return s
}

func (s *served) intercept(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	if s.before != nil {
		if err := s.before(ctx, request); err != nil {
			return nil, err
		}
	}
	reply, err := handle(ctx, request)
	if err == nil && s.after != nil {
		s.after(request, reply)
	}
	return reply, err
}

// write writes a line of a container's process to its log. It is called with the runtime's lock held.
func (s *served) write(e history.Event) {
	if e.Kind != history.Line || e.Reason == lines.EOF {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	file, err := os.OpenFile(s.logs[e.Pod+"/"+e.Container], os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		for range s.times(e.Reason) {
			_, err = fmt.Fprintf(file, "%s stdout F %s %s\n", e.At.Format(time.RFC3339Nano), e.Reason, e.Message)
		}
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		s.errs = append(s.errs, err)
	}
}

func (s *served) times(word string) int {
	if s.line == nil {
		return 1
	}
	return s.line(word)
}

// actors returns the actor's command line in place of the script's.
func actors(argv []string) []string {
	if len(argv) > 3 && slices.Equal(argv[:3], []string{"sh", "-c", actorScript}) {
		return argv[3:]
	}
	return argv
}

func (s *served) Version(ctx context.Context, _ *runtimev1.VersionRequest) (*runtimev1.VersionResponse, error) {
	reply, err := s.rt.Version(ctx, "")
	if err == nil && s.version != nil {
		s.version(reply)
	}
	return reply, err
}

func (s *served) RuntimeConfig(ctx context.Context, _ *runtimev1.RuntimeConfigRequest) (*runtimev1.RuntimeConfigResponse, error) {
	return s.rt.RuntimeConfig(ctx)
}

func (s *served) RunPodSandbox(ctx context.Context, r *runtimev1.RunPodSandboxRequest) (*runtimev1.RunPodSandboxResponse, error) {
	id, err := s.rt.RunPodSandbox(ctx, r.GetConfig(), r.GetRuntimeHandler())
	return &runtimev1.RunPodSandboxResponse{PodSandboxId: id}, err
}

func (s *served) StopPodSandbox(ctx context.Context, r *runtimev1.StopPodSandboxRequest) (*runtimev1.StopPodSandboxResponse, error) {
	return &runtimev1.StopPodSandboxResponse{}, s.rt.StopPodSandbox(ctx, r.GetPodSandboxId())
}

func (s *served) RemovePodSandbox(ctx context.Context, r *runtimev1.RemovePodSandboxRequest) (*runtimev1.RemovePodSandboxResponse, error) {
	return &runtimev1.RemovePodSandboxResponse{}, s.rt.RemovePodSandbox(ctx, r.GetPodSandboxId())
}

func (s *served) ListPodSandbox(ctx context.Context, r *runtimev1.ListPodSandboxRequest) (*runtimev1.ListPodSandboxResponse, error) {
	items, err := s.rt.ListPodSandbox(ctx, r.GetFilter())
	return &runtimev1.ListPodSandboxResponse{Items: items}, err
}

func (s *served) CreateContainer(ctx context.Context, r *runtimev1.CreateContainerRequest) (*runtimev1.CreateContainerResponse, error) {
	config, sandbox := r.GetConfig(), r.GetSandboxConfig()
	config.Command = actors(config.GetCommand())
	path := filepath.Join(sandbox.GetLogDirectory(), config.GetLogPath())
	s.mu.Lock()
	s.logs[sandbox.GetMetadata().GetName()+"/"+config.GetMetadata().GetName()] = path
	err := os.WriteFile(path, nil, 0o600)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	id, err := s.rt.CreateContainer(ctx, r.GetPodSandboxId(), config, sandbox)
	return &runtimev1.CreateContainerResponse{ContainerId: id}, err
}

func (s *served) StartContainer(ctx context.Context, r *runtimev1.StartContainerRequest) (*runtimev1.StartContainerResponse, error) {
	return &runtimev1.StartContainerResponse{}, s.rt.StartContainer(ctx, r.GetContainerId())
}

func (s *served) StopContainer(ctx context.Context, r *runtimev1.StopContainerRequest) (*runtimev1.StopContainerResponse, error) {
	return &runtimev1.StopContainerResponse{}, s.rt.StopContainer(ctx, r.GetContainerId(), r.GetTimeout())
}

func (s *served) RemoveContainer(ctx context.Context, r *runtimev1.RemoveContainerRequest) (*runtimev1.RemoveContainerResponse, error) {
	return &runtimev1.RemoveContainerResponse{}, s.rt.RemoveContainer(ctx, r.GetContainerId())
}

func (s *served) ListContainers(ctx context.Context, r *runtimev1.ListContainersRequest) (*runtimev1.ListContainersResponse, error) {
	list, err := s.rt.ListContainers(ctx, r.GetFilter())
	return &runtimev1.ListContainersResponse{Containers: list}, err
}

func (s *served) ContainerStatus(ctx context.Context, r *runtimev1.ContainerStatusRequest) (*runtimev1.ContainerStatusResponse, error) {
	return s.rt.ContainerStatus(ctx, r.GetContainerId(), r.GetVerbose())
}

func (s *served) ExecSync(ctx context.Context, r *runtimev1.ExecSyncRequest) (*runtimev1.ExecSyncResponse, error) {
	stdout, stderr, err := s.rt.ExecSync(ctx, r.GetContainerId(), actors(r.GetCmd()), time.Duration(r.GetTimeout())*time.Second)
	reply := &runtimev1.ExecSyncResponse{Stdout: stdout, Stderr: stderr}
	var exit utilexec.CodeExitError
	switch {
	case errors.As(err, &exit):
		reply.ExitCode = int32(exit.Code)
		return reply, nil
	case errors.Is(err, remote.ErrCommandTimedOut):
		return nil, status.Error(codes.DeadlineExceeded, err.Error())
	}
	return reply, err
}

func (s *served) GetContainerEvents(_ *runtimev1.GetEventsRequest, stream runtimev1.RuntimeService_GetContainerEventsServer) error {
	events := make(chan *runtimev1.ContainerEventResponse)
	over := make(chan error, 1)
	go func() { over <- s.rt.GetContainerEvents(stream.Context(), events, nil) }()
	for {
		select {
		case e := <-events:
			if s.event != nil && !s.event(e) {
				continue
			}
			if err := stream.Send(e); err != nil {
				return errors.Join(err, <-over)
			}
		case err := <-over:
			return err
		}
	}
}

func (s *served) ImageStatus(ctx context.Context, r *runtimev1.ImageStatusRequest) (*runtimev1.ImageStatusResponse, error) {
	return s.rt.ImageStatus(ctx, r.GetImage(), r.GetVerbose())
}

func (s *served) PullImage(ctx context.Context, r *runtimev1.PullImageRequest) (*runtimev1.PullImageResponse, error) {
	ref, err := s.rt.PullImage(ctx, r.GetImage(), r.GetAuth(), r.GetSandboxConfig())
	return &runtimev1.PullImageResponse{ImageRef: ref}, err
}

func (s *served) RemoveImage(ctx context.Context, r *runtimev1.RemoveImageRequest) (*runtimev1.RemoveImageResponse, error) {
	return &runtimev1.RemoveImageResponse{}, s.rt.RemoveImage(ctx, r.GetImage())
}

func (s *served) ImageFsInfo(ctx context.Context, _ *runtimev1.ImageFsInfoRequest) (*runtimev1.ImageFsInfoResponse, error) {
	return s.rt.ImageFsInfo(ctx)
}

// left returns what is on the runtime.
func (s *served) left(t *testing.T) (all []string) {
	t.Helper()
	ctx := context.Background()
	sandboxes, err := s.rt.ListPodSandbox(ctx, nil)
	containers, failed := s.rt.ListContainers(ctx, nil)
	images, unlisted := s.rt.ListImages(ctx, nil)
	if err := errors.Join(err, failed, unlisted); err != nil {
		t.Fatal(err)
	}
	for _, one := range sandboxes {
		all = append(all, "sandbox "+one.GetMetadata().GetName())
	}
	for _, one := range containers {
		all = append(all, "container "+one.GetMetadata().GetName())
	}
	for _, one := range images {
		all = append(all, "image "+one.GetRepoTags()[0])
	}
	slices.Sort(all)
	return all
}
