//go:build kgrace_sim

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simkubelet

import utilruntime "k8s.io/apimachinery/pkg/util/runtime"

// Each bubble's clock starts anew, so nothing that outlives a bubble may remember a time. The error handler that slows down
// repeated errors does; remove it and keep the others.
func init() { utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1] }
