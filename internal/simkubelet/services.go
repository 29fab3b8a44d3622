//go:build kgrace_sim && !kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simkubelet

import internalapi "k8s.io/cri-api/pkg/apis"

// services returns a connection as the kubelet's clients of the runtime.
func services(c *connection) (internalapi.RuntimeService, internalapi.ImageManagerService) {
	return c, c
}
