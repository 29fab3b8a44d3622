/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

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
