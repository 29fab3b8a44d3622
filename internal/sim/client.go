//go:build !kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
