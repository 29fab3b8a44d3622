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

package kindnode

import (
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
)

// ClusterOptions say what a cluster of node images is to be.
type ClusterOptions struct {
	// Name of the cluster; "" is kind's own, "kind".
	Name string
	// Image of every node.
	Image string
	// Workers beside the one control plane. Without any, the control plane takes pods.
	Workers int
	// Mounts that every node gets.
	Mounts []v1alpha4.Mount
	// Kubelet are kubelet configuration fields to set on every node, as YAML at the top level.
	Kubelet string
}

// kubeletAnywhere are kubelet settings for machines that kind's own defaults do not suit: cgroups of version 1, which a kubelet
// refuses since Kubernetes 1.35 unless it is told not to, and no right to lower an OOM score (CAP_SYS_RESOURCE).
const kubeletAnywhere = `kind: KubeletConfiguration
failCgroupV1: false
oomScoreAdj: 0
`

// ClusterConfig is a kind configuration for clusters of these images that come up on small virtual machines, too. The caller
// may change it. The image's own network serves pods on all nodes: nothing is to be installed.
func ClusterConfig(o ClusterOptions) *v1alpha4.Cluster {
	c := &v1alpha4.Cluster{
		TypeMeta: v1alpha4.TypeMeta{Kind: "Cluster", APIVersion: "kind.x-k8s.io/v1alpha4"},
		Name:     o.Name,
		Nodes:    []v1alpha4.Node{{Role: v1alpha4.ControlPlaneRole, Image: o.Image, ExtraMounts: o.Mounts}},
		// It goes to every node's configuration; those that join take it from the cluster.
		KubeadmConfigPatches: []string{kubeletAnywhere + o.Kubelet},
	}
	for range o.Workers {
		c.Nodes = append(c.Nodes, v1alpha4.Node{Role: v1alpha4.WorkerRole, Image: o.Image, ExtraMounts: o.Mounts})
	}
	return c
}
