//go:build kgrace_v122

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

// The API of v1.22, whose own types the sim level of v1.22 is compiled with: probes and hooks had one type of another name,
// and neither sleep hooks nor sidecars were there. The catalogue says so (scenario.Since), so nobody asks.

// lifecycleHandler is the API's type of a hook.
type lifecycleHandler = corev1.Handler

func execProbe(argv []string) *corev1.Probe {
	return &corev1.Probe{Handler: corev1.Handler{Exec: &corev1.ExecAction{Command: argv}}}
}

func sleep(*lifecycleHandler, int64) { panic("v1.22 has no sleep hooks") }

func restartable(*corev1.Container) { panic("v1.22 has no sidecars") }
