//go:build kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package podspec

import corev1 "k8s.io/api/core/v1"

// The sim level of v1.22 is compiled with that minor's API types: probes and hooks share one type of another name, and there
// are neither sleep hooks nor sidecars. The catalogue accounts for that (scenario.Since), so nothing calls the panicking
// functions.

// lifecycleHandler is the API's type of a hook.
type lifecycleHandler = corev1.Handler

func execProbe(argv []string) *corev1.Probe {
	return &corev1.Probe{Handler: corev1.Handler{Exec: &corev1.ExecAction{Command: argv}}}
}

func sleep(*lifecycleHandler, int64) { panic("v1.22 has no sleep hooks") }

func restartable(*corev1.Container) { panic("v1.22 has no sidecars") }
