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

package regress

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"

	"github.com/kgrace/kgrace/internal/scenario"
)

// Namespace is where the pods of scenarios are, at every level.
const Namespace = namespace

// PodOf makes the API object of a scenario's pod on a node. linesDir is the node's folder for the lines of containers; ""
// leaves the volume out, for levels where containers need no folder to be heard.
func PodOf(s scenario.Scenario, node, linesDir string) *corev1.Pod {
	pod := podOf(s, node, linesDir)
	if linesDir == "" {
		deaf(pod)
	}
	return pod
}

// ManifestOf makes the manifest of a scenario's static pod, without the volume: the one it begins with, or the one that
// takes its place.
func ManifestOf(s scenario.Scenario, changed bool) ([]byte, error) {
	data, err := manifestOf(s, "", changed)
	if err != nil {
		return nil, err
	}
	var pod corev1.Pod
	if err := json.Unmarshal(data, &pod); err != nil {
		return nil, err
	}
	deaf(&pod)
	return json.Marshal(&pod)
}

// deaf takes the volume of the lines away.
func deaf(pod *corev1.Pod) {
	pod.Spec.Volumes = nil
	for _, all := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range all {
			all[i].VolumeMounts = nil
		}
	}
}
