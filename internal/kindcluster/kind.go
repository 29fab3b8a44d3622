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

package kindcluster

import (
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/kgrace/kgrace/internal/kindnode"
)

// kubelet contains the settings of both nodes' kubelets besides those that kindnode gives every cluster.
const kubelet = `syncFrequency: 30s
logging:
  verbosity: 4
`

// join makes the recorder the runtime endpoint of the worker's kubelet, and of kubeadm there.
const join = `kind: JoinConfiguration
nodeRegistration:
  criSocket: unix://` + criSocket + `
`

// clusterConfig returns kind's description of the cluster.
func clusterConfig(c Config, l layout) *v1alpha4.Cluster {
	config := kindnode.ClusterConfig(kindnode.ClusterOptions{Name: c.Name, Image: c.Image, Workers: 1, Kubelet: kubelet})
	worker := &config.Nodes[1]
	worker.ExtraMounts = append(worker.ExtraMounts, l.mounts(c.Programs)...)
	worker.KubeadmConfigPatches = append(worker.KubeadmConfigPatches, join)
	v1alpha4.SetDefaultsCluster(config)
	return config
}
