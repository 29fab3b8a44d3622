// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	internalapi "k8s.io/cri-api/pkg/apis"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
	remote "k8s.io/cri-client/pkg"
	"k8s.io/klog/v2"

	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/unixsock"
)

const (
	// answering is how long a runtime may take to answer the first request.
	answering = 10 * time.Second
	// connecting is the client's timeout of calls without another one, the kubelet's own.
	connecting = 2 * time.Minute

	scheme  = "unix://"
	apiV1   = "v1"
	olderV1 = "/runtime.v1alpha2.RuntimeService/Version"
)

// Socket returns the path of the socket that an endpoint names, with or without unix://.
func Socket(endpoint string) (string, error) {
	path := strings.TrimPrefix(endpoint, scheme)
	if strings.Contains(path, "://") {
		return "", fmt.Errorf("endpoint %q: expected a unix socket, such as unix:///run/crio/crio.sock", endpoint)
	}
	if err := unixsock.CheckPath(path); err != nil {
		return "", fmt.Errorf("endpoint %q: %w, such as unix:///run/crio/crio.sock", endpoint, err)
	}
	return path, nil
}

// Remote is a runtime that others run.
type Remote struct {
	// Name and Version are what the runtime calls itself.
	Name, Version string

	socket  string
	runtime internalapi.RuntimeService
	images  internalapi.ImageManagerService
}

// Connect connects to the runtime that serves the CRI on a socket.
func Connect(ctx context.Context, socket string) (*Remote, error) {
	ctx = quiet(ctx)
	if err := listens(ctx, socket); err != nil {
		return nil, err
	}
	version, err := ask(ctx, socket)
	if err != nil {
		return nil, err
	}
	r := &Remote{Name: version.GetRuntimeName(), Version: version.GetRuntimeVersion(), socket: socket}
	if r.runtime, err = client(ctx, socket); err != nil {
		return nil, err
	}
	r.images, err = remote.NewRemoteImageServiceBuilder().WithEndpoint(scheme + socket).WithConnectionTimeout(connecting).Build(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s serves no images: the conformance sequences need the runtime's own image service: %w", socket, err), r.runtime.Close(ctx))
	}
	return r, nil
}

// client returns the kubelet's own client of a runtime.
func client(ctx context.Context, socket string) (internalapi.RuntimeService, error) {
	return remote.NewRemoteRuntimeServiceBuilder().WithEndpoint(scheme + socket).WithConnectionTimeout(connecting).Build(ctx)
}

// quiet silences the client, which logs every error of a call.
func quiet(ctx context.Context) context.Context { return klog.NewContext(ctx, logr.Discard()) }

// Close closes the connections.
func (r *Remote) Close(ctx context.Context) error {
	return errors.Join(r.runtime.Close(ctx), r.images.Close(ctx))
}

// Behaviour returns the behaviour that the runtime is to have; "" if its name tells nothing.
func (r *Remote) Behaviour() sim.Behaviour {
	return map[string]sim.Behaviour{"containerd": sim.Containerd, "cri-o": sim.CRIO}[r.Name]
}

// listens reports what is wrong with a socket.
func listens(ctx context.Context, socket string) error {
	info, err := os.Stat(socket)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("there is no socket %s: start the runtime, or name its socket with --runtime-endpoint", socket)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("socket %s: %w: run as root", socket, err)
	case err != nil:
		return err
	case info.Mode()&os.ModeSocket == 0:
		return fmt.Errorf("%s is no socket (%s): name the socket on which the runtime serves the CRI", socket, info.Mode())
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	switch {
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("socket %s: %w: run as root", socket, err)
	case err != nil:
		return fmt.Errorf("nobody answers on socket %s: %w: start the runtime", socket, err)
	}
	return conn.Close()
}

// ask asks for the runtime's name and version, and tells apart why there is no answer.
func ask(ctx context.Context, socket string) (*runtimev1.VersionResponse, error) {
	conn, err := grpc.NewClient(scheme+socket, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithAuthority("localhost"))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, answering)
	defer cancel()
	reply, err := runtimev1.NewRuntimeServiceClient(conn).Version(ctx, &runtimev1.VersionRequest{})
	switch status.Code(err) {
	case codes.OK:
	case codes.Unimplemented:
		var older runtimev1.VersionResponse // it has the same fields in every version
		if conn.Invoke(ctx, olderV1, &runtimev1.VersionRequest{}, &older) == nil {
			return nil, fmt.Errorf("the runtime at %s, %s %s, speaks only CRI v1alpha2: expected %s, which containerd has since 1.6 and CRI-O since 1.23", socket, older.GetRuntimeName(), older.GetRuntimeVersion(), apiV1)
		}
		return nil, fmt.Errorf("%s serves gRPC, but no CRI: name the runtime's CRI socket; if it is containerd, its CRI plugin may be disabled", socket)
	default:
		return nil, fmt.Errorf("%s serves no CRI, or its runtime does not answer: %w", socket, err)
	}
	if api := reply.GetRuntimeApiVersion(); api != apiV1 {
		return nil, fmt.Errorf("the runtime at %s, %s %s, speaks CRI %q: expected %s", socket, reply.GetRuntimeName(), reply.GetRuntimeVersion(), api, apiV1)
	}
	return reply, nil
}
