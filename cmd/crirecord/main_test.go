// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/history/stream"
)

type fakeRuntime struct {
	runtimev1.UnimplementedRuntimeServiceServer
}

func (fakeRuntime) RunPodSandbox(context.Context, *runtimev1.RunPodSandboxRequest) (*runtimev1.RunPodSandboxResponse, error) {
	return &runtimev1.RunPodSandboxResponse{PodSandboxId: "s1"}, nil
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"--listen", "/a", "--runtime", "/b"}, {"--what"}, {"--listen", "/a", "--runtime", "/b", "--record", "/c", "more"}} {
		var errs bytes.Buffer
		if code := run(t.Context(), args, &errs); code != exitUsage || errs.Len() == 0 {
			t.Errorf("%v: exit %d, %q", args, code, errs.String())
		}
	}
	var errs bytes.Buffer
	dir := t.TempDir()
	args := []string{"--listen", filepath.Join(dir, "a"), "--runtime", filepath.Join(dir, "b"), "--record", filepath.Join(dir, "no", "directory")}
	if code := run(t.Context(), args, &errs); code != exitFailed || !strings.Contains(errs.String(), "no/directory") {
		t.Errorf("exit %d, %q", code, errs.String())
	}
}

// A follower of the file sees a call as the proxy recorded it.
func TestCallsComeAcross(t *testing.T) {
	dir, err := os.MkdirTemp("", "crirecord") // short: a socket's path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	upstream, listen, record := filepath.Join(dir, "runtime.sock"), filepath.Join(dir, "cri.sock"), filepath.Join(dir, "cri.jsonl")
	listener, err := net.Listen("unix", upstream)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	runtimev1.RegisterRuntimeServiceServer(server, fakeRuntime{})
	go server.Serve(listener)
	t.Cleanup(server.Stop)

	events := make(chan history.Event, 10)
	f, err := stream.Follow(t.Context(), record, history.SinkFunc(func(e history.Event) {
		if e.Kind != history.ControlLate { // of a slow machine
			events <- e
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int)
	go func() {
		ended <- run(ctx, []string{"--listen", listen, "--runtime", upstream, "--record", record}, &bytes.Buffer{})
	}()
	conn, err := grpc.NewClient("unix://"+listen, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, err = runtimev1.NewRuntimeServiceClient(conn).RunPodSandbox(t.Context(), &runtimev1.RunPodSandboxRequest{
		Config: &runtimev1.PodSandboxConfig{Metadata: &runtimev1.PodSandboxMetadata{Name: "pod"}},
	}, grpc.WaitForReady(true))
	if err != nil {
		t.Fatal(err)
	}
	called, returned := <-events, <-events
	if called.Kind != history.CRICall || called.Pod != "pod" || returned.Kind != history.CRIReturn || returned.Error != "" {
		t.Errorf("%+v, %+v", called, returned)
	}
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("exit %d", code)
	}
	_ = f.Close()
}
