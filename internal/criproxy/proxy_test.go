// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package criproxy

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
)

func TestRuntimeThatIsNotUpYet(t *testing.T) {
	b := newBench(t, nil, nil)
	_, err := b.client.Version(t.Context(), &runtimev1.VersionRequest{})
	if status.Code(err) != codes.Unavailable {
		t.Errorf("got %v, expected Unavailable", err)
	}
	serveRuntime(t, b.upstream, &fakeRuntime{})
	if _, err := b.client.Version(t.Context(), &runtimev1.VersionRequest{}, grpc.WaitForReady(true)); err != nil {
		// The proxy does not wait on the caller's behalf; it soon reconnects by itself.
		for status.Code(err) == codes.Unavailable {
			_, err = b.client.Version(t.Context(), &runtimev1.VersionRequest{})
		}
		if err != nil {
			t.Error(err)
		}
	}
}

func TestCloseEndsCallsAndLeavesNothing(t *testing.T) {
	left := make(chan struct{})
	f := &fakeRuntime{stop: func(ctx context.Context, _ *runtimev1.StopContainerRequest) (*runtimev1.StopContainerResponse, error) {
		<-ctx.Done()
		close(left)
		return nil, ctx.Err()
	}}
	b := newBench(t, f, nil)
	id := b.create("main")
	ended := make(chan error, 1)
	go func() { ended <- b.stop(t.Context(), id, 60) }()
	b.wait("the stop", isCall("StopContainer"))
	if err := b.proxy.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("the call succeeded")
	}
	if e := b.wait("the return", isReturn("StopContainer")); e.Error == "" {
		t.Errorf("recorded %+v", e)
	}
	_ = b.proxy.Close() // again
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for _, left := range []string{"criproxy.(*Proxy)", "criproxy.(*exits)", "criproxy.(*call)", "criproxy.Start"} {
		if bytes.Contains(stacks, []byte(left)) {
			t.Errorf("a goroutine of %s is left:\n%s", left, stacks)
		}
	}
	// The call may have been cut before or after it reached the runtime; in the latter case it ends there.
	if f.stopped() > 0 {
		<-left
	}
}

func TestCloseWaitsForTheLastRecord(t *testing.T) {
	recording, release := make(chan struct{}), make(chan struct{})
	f := &fakeRuntime{stop: func(ctx context.Context, _ *runtimev1.StopContainerRequest) (*runtimev1.StopContainerResponse, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	called := make(chan struct{})
	b := newBench(t, f, func(o *Options) {
		o.Record = history.SinkFunc(func(e history.Event) {
			switch {
			case isCall("StopContainer")(e):
				close(called)
			case isReturn("StopContainer")(e):
				close(recording)
				<-release
			}
		})
	})
	ended := make(chan error, 1)
	go func() { ended <- b.stop(t.Context(), "x", 60) }()
	<-called
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = b.proxy.Close()
	}()
	<-recording
	select {
	case <-closed:
		t.Error("Close returned while a return was still being recorded")
	case <-time.After(50 * time.Millisecond): // a proxy that does not wait has returned by then
	}
	close(release)
	<-closed
	<-ended
}

func TestStartRefusesBadOptions(t *testing.T) {
	dir := tempDir(t)
	good := filepath.Join(dir, "a.sock")
	long := filepath.Join(dir, strings.Repeat("x", 108))
	for name, o := range map[string]Options{
		"same socket":       {Listen: good, Upstream: good},
		"long path":         {Listen: long, Upstream: good},
		"long upstream":     {Listen: good, Upstream: long},
		"relative upstream": {Listen: good, Upstream: "x.sock"},
		"no directory":      {Listen: filepath.Join(dir, "none", "a.sock"), Upstream: good},
	} {
		if p, err := Start(t.Context(), o); err == nil {
			_ = p.Close()
			t.Errorf("%s: started", name)
		}
	}
}

// BenchmarkCall compares a call through the proxy with one directly to the runtime: the difference is the overhead of the
// proxy for each call of the kubelet.
func BenchmarkCall(b *testing.B) {
	dir, err := os.MkdirTemp("", "cri")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	up, down := filepath.Join(dir, "up.sock"), filepath.Join(dir, "down.sock")
	server := grpc.NewServer()
	runtimev1.RegisterRuntimeServiceServer(server, &fakeRuntime{})
	listener, err := net.Listen("unix", up)
	if err != nil {
		b.Fatal(err)
	}
	go func() { _ = server.Serve(listener) }()
	defer server.Stop()
	p, err := Start(context.Background(), Options{Listen: down, Upstream: up, Record: history.NewRecorder()})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	for name, socket := range map[string]string{"direct": up, "proxy": down} {
		b.Run(name, func(b *testing.B) {
			conn, err := dial(socket)
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close()
			client := runtimev1.NewRuntimeServiceClient(conn)
			for b.Loop() {
				if _, err := client.StopPodSandbox(context.Background(), &runtimev1.StopPodSandboxRequest{PodSandboxId: "x"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
