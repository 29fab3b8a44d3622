//go:build !kgrace_v122

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
	internalapi "k8s.io/cri-api/pkg/apis"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
	remote "k8s.io/cri-client/pkg"
)

var (
	_ internalapi.RuntimeService      = (*Runtime)(nil)
	_ internalapi.ImageManagerService = (*Runtime)(nil)
)

// otherCalls provides the methods that only some versions of the client's interfaces have (CheckpointPod since 1.37,
// PullSecurityProfile since 1.38), and Close, whose arguments differ between versions. Nothing calls them; both interfaces are
// nil, so a call panics. The services are embedded at different depths, so that the image service provides the methods that
// both have.
type otherCalls struct {
	internalapi.ImageManagerService
	runtimeCalls
}

type runtimeCalls struct{ internalapi.RuntimeService }

// errTimedOut is the error of the kubelet's client for a command that timed out.
var errTimedOut = remote.ErrCommandTimedOut

// eventsClient is the stream of container events; the simulator has none.
type eventsClient = runtimev1.RuntimeService_GetContainerEventsClient
