// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
)

// ClusterOptions describe a cluster of node images.
type ClusterOptions struct {
	// Name of the cluster; "" means kind's default, "kind".
	Name string
	// Image is the image of every node.
	Image string
	// Workers is the number of workers besides the one control plane. Without any, the control plane runs pods.
	Workers int
	// Mounts are the mounts of every node.
	Mounts []v1alpha4.Mount
	// Kubelet contains kubelet configuration fields for every node, as top-level YAML.
	Kubelet string
}

// kubeletAnywhere contains kubelet settings for machines that kind's defaults do not suit: those with cgroup v1, which a
// kubelet refuses by default since Kubernetes 1.35, and those without the privilege to lower an OOM score
// (CAP_SYS_RESOURCE).
const kubeletAnywhere = `kind: KubeletConfiguration
failCgroupV1: false
oomScoreAdj: 0
`

// ClusterConfig returns a kind configuration for clusters of these images that also works on small virtual machines. The
// caller may change it. The image's own network serves pods on all nodes, so no CNI needs to be installed.
func ClusterConfig(o ClusterOptions) *v1alpha4.Cluster {
	c := &v1alpha4.Cluster{
		TypeMeta: v1alpha4.TypeMeta{Kind: "Cluster", APIVersion: "kind.x-k8s.io/v1alpha4"},
		Name:     o.Name,
		Nodes:    []v1alpha4.Node{{Role: v1alpha4.ControlPlaneRole, Image: o.Image, ExtraMounts: o.Mounts}},
		// kind applies it to every node's configuration; nodes that join get it from the cluster.
		KubeadmConfigPatches: []string{kubeletAnywhere + o.Kubelet},
	}
	for range o.Workers {
		c.Nodes = append(c.Nodes, v1alpha4.Node{Role: v1alpha4.WorkerRole, Image: o.Image, ExtraMounts: o.Mounts})
	}
	return c
}
