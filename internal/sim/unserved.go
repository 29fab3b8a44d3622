// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// The calls in this file have nothing to do with how pods end. They return Unimplemented, except ReopenContainerLog: there are
// no logs.

func unserved(call string) error {
	return status.Errorf(codes.Unimplemented, "the simulated runtime does not implement %s", call)
}

// ReopenContainerLog does nothing.
func (rt *Runtime) ReopenContainerLog(context.Context, string) error { return nil }

// Exec is not simulated; ExecSync is.
func (rt *Runtime) Exec(context.Context, *runtimev1.ExecRequest) (*runtimev1.ExecResponse, error) {
	return nil, unserved("Exec")
}

// Attach is not simulated.
func (rt *Runtime) Attach(context.Context, *runtimev1.AttachRequest) (*runtimev1.AttachResponse, error) {
	return nil, unserved("Attach")
}

// PortForward is not simulated.
func (rt *Runtime) PortForward(context.Context, *runtimev1.PortForwardRequest) (*runtimev1.PortForwardResponse, error) {
	return nil, unserved("PortForward")
}

// CheckpointContainer is not simulated.
func (rt *Runtime) CheckpointContainer(context.Context, *runtimev1.CheckpointContainerRequest) error {
	return unserved("CheckpointContainer")
}

// UpdatePodSandboxResources is not simulated; the kubelet tolerates that.
func (rt *Runtime) UpdatePodSandboxResources(context.Context, *runtimev1.UpdatePodSandboxResourcesRequest) (*runtimev1.UpdatePodSandboxResourcesResponse, error) {
	return nil, unserved("UpdatePodSandboxResources")
}

// PodSandboxStats is not simulated.
func (rt *Runtime) PodSandboxStats(context.Context, string) (*runtimev1.PodSandboxStats, error) {
	return nil, unserved("PodSandboxStats")
}

// ListPodSandboxStats is not simulated.
func (rt *Runtime) ListPodSandboxStats(context.Context, *runtimev1.PodSandboxStatsFilter) ([]*runtimev1.PodSandboxStats, error) {
	return nil, unserved("ListPodSandboxStats")
}

// ListMetricDescriptors is not simulated.
func (rt *Runtime) ListMetricDescriptors(context.Context) ([]*runtimev1.MetricDescriptor, error) {
	return nil, unserved("ListMetricDescriptors")
}

// ListPodSandboxMetrics is not simulated.
func (rt *Runtime) ListPodSandboxMetrics(context.Context) ([]*runtimev1.PodSandboxMetrics, error) {
	return nil, unserved("ListPodSandboxMetrics")
}
