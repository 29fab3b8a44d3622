// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
