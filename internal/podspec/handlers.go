//go:build !kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package podspec

import corev1 "k8s.io/api/core/v1"

// lifecycleHandler is the API's type of a hook.
type lifecycleHandler = corev1.LifecycleHandler

func execProbe(argv []string) *corev1.Probe {
	return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: argv}}}
}

func sleep(handler *lifecycleHandler, seconds int64) {
	handler.Sleep = &corev1.SleepAction{Seconds: seconds}
}

// restartable makes an init container a sidecar.
func restartable(c *corev1.Container) {
	always := corev1.ContainerRestartPolicyAlways
	c.RestartPolicy = &always
}
