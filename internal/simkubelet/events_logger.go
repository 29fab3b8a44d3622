//go:build kgrace_sim && !kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simkubelet

import (
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
)

// WithLogger makes events an event recorder of the kubelet since v1.31.
func (e *events) WithLogger(klog.Logger) record.EventRecorderLogger { return e }
