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
