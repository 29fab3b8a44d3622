//go:build kgrace_sim

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simkubelet

import (
	"context"
	"net/http"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/sim"
)

// connection is one kubelet's connection to the runtime. It ends with the kubelet's process: running calls are cancelled, and
// later calls of the dead process's goroutines have no effect. Read-only calls are not blocked.
type connection struct {
	*sim.Runtime
	life context.Context
	end  context.CancelFunc
}

func connect(ctx context.Context, rt *sim.Runtime) *connection {
	c := &connection{Runtime: rt}
	c.life, c.end = context.WithCancel(context.WithoutCancel(ctx))
	return c
}

// through makes a call that also ends with the connection.
func through[T any](ctx context.Context, c *connection, call func(context.Context) (T, error)) (T, error) {
	if c.life.Err() != nil {
		var none T
		return none, status.Error(codes.Unavailable, "the connection is closed")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.life, cancel)()
	return call(ctx)
}

func act(ctx context.Context, c *connection, call func(context.Context) error) error {
	_, err := through(ctx, c, func(ctx context.Context) (any, error) { return nil, call(ctx) })
	return err
}

// Do sends the request of an HTTP hook. It ends with the kubelet.
func (c *connection) Do(request *http.Request) (*http.Response, error) {
	return through(request.Context(), c, func(ctx context.Context) (*http.Response, error) {
		return sim.HTTPDoer(c.Runtime).Do(request.WithContext(ctx))
	})
}

func (c *connection) RunPodSandbox(ctx context.Context, config *runtimeapi.PodSandboxConfig, handler string) (string, error) {
	return through(ctx, c, func(ctx context.Context) (string, error) { return c.Runtime.RunPodSandbox(ctx, config, handler) })
}

func (c *connection) StopPodSandbox(ctx context.Context, id string) error {
	return act(ctx, c, func(ctx context.Context) error { return c.Runtime.StopPodSandbox(ctx, id) })
}

func (c *connection) RemovePodSandbox(ctx context.Context, id string) error {
	return act(ctx, c, func(ctx context.Context) error { return c.Runtime.RemovePodSandbox(ctx, id) })
}

func (c *connection) CreateContainer(ctx context.Context, sandbox string, config *runtimeapi.ContainerConfig, sandboxConfig *runtimeapi.PodSandboxConfig) (string, error) {
	return through(ctx, c, func(ctx context.Context) (string, error) {
		return c.Runtime.CreateContainer(ctx, sandbox, config, sandboxConfig)
	})
}

func (c *connection) StartContainer(ctx context.Context, id string) error {
	return act(ctx, c, func(ctx context.Context) error { return c.Runtime.StartContainer(ctx, id) })
}

func (c *connection) StopContainer(ctx context.Context, id string, timeout int64) error {
	return act(ctx, c, func(ctx context.Context) error { return c.Runtime.StopContainer(ctx, id, timeout) })
}

func (c *connection) RemoveContainer(ctx context.Context, id string) error {
	return act(ctx, c, func(ctx context.Context) error { return c.Runtime.RemoveContainer(ctx, id) })
}

func (c *connection) UpdateContainerResources(ctx context.Context, id string, resources *runtimeapi.ContainerResources) error {
	return act(ctx, c, func(ctx context.Context) error { return c.Runtime.UpdateContainerResources(ctx, id, resources) })
}

func (c *connection) ExecSync(ctx context.Context, id string, argv []string, timeout time.Duration) (stdout, stderr []byte, err error) {
	err = act(ctx, c, func(ctx context.Context) error {
		stdout, stderr, err = c.Runtime.ExecSync(ctx, id, argv, timeout)
		return err
	})
	return stdout, stderr, err
}

func (c *connection) PullImage(ctx context.Context, image *runtimeapi.ImageSpec, auth *runtimeapi.AuthConfig, sandbox *runtimeapi.PodSandboxConfig) (string, error) {
	return through(ctx, c, func(ctx context.Context) (string, error) { return c.Runtime.PullImage(ctx, image, auth, sandbox) })
}
