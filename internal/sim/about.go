// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Version returns the name and version of the simulated runtime.
func (rt *Runtime) Version(ctx context.Context, version string) (*runtimev1.VersionResponse, error) {
	return look(ctx, rt, method{name: "Version"}, &runtimev1.VersionRequest{Version: version}, func(context.Context) (*runtimev1.VersionResponse, error) {
		reply := &runtimev1.VersionResponse{Version: "0.1.0", RuntimeName: "containerd", RuntimeVersion: "v2.3.4", RuntimeApiVersion: "v1"}
		if rt.options.Behaviour == CRIO {
			reply.RuntimeName, reply.RuntimeVersion = "cri-o", "1.37.0"
		}
		return reply, nil
	})
}

// Status reports the runtime and the network as ready.
func (rt *Runtime) Status(ctx context.Context, verbose bool) (*runtimev1.StatusResponse, error) {
	return look(ctx, rt, method{name: "Status"}, &runtimev1.StatusRequest{Verbose: verbose}, func(context.Context) (*runtimev1.StatusResponse, error) {
		return &runtimev1.StatusResponse{Status: &runtimev1.RuntimeStatus{Conditions: []*runtimev1.RuntimeCondition{
			{Type: "RuntimeReady", Status: true}, {Type: "NetworkReady", Status: true},
		}}}, nil
	})
}

// RuntimeConfig returns the cgroup driver.
func (rt *Runtime) RuntimeConfig(ctx context.Context) (*runtimev1.RuntimeConfigResponse, error) {
	return look(ctx, rt, method{name: "RuntimeConfig"}, &runtimev1.RuntimeConfigRequest{}, func(context.Context) (*runtimev1.RuntimeConfigResponse, error) {
		return &runtimev1.RuntimeConfigResponse{Linux: &runtimev1.LinuxRuntimeConfiguration{CgroupDriver: runtimev1.CgroupDriver_CGROUPFS}}, nil
	})
}

// UpdateRuntimeConfig ignores the configuration.
func (rt *Runtime) UpdateRuntimeConfig(ctx context.Context, config *runtimev1.RuntimeConfig) error {
	_, err := call(ctx, rt, method{name: "UpdateRuntimeConfig", limit: patience}, &runtimev1.UpdateRuntimeConfigRequest{RuntimeConfig: config}, func(context.Context) (any, error) {
		return nil, nil
	})
	return err
}
