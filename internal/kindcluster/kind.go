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
	"strings"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/kind/pkg/log"

	"github.com/kgrace/kgrace/internal/kindnode"
)

// kubelet are the settings of both nodes' kubelets beside those that kindnode gives every cluster.
const kubelet = `syncFrequency: 30s
logging:
  verbosity: 4
`

// join gives the worker's kubelet, and kubeadm there, the recorder in the place of its runtime.
const join = `kind: JoinConfiguration
nodeRegistration:
  criSocket: unix://` + criSocket + `
`

// clusterConfig is kind's description of the cluster.
func clusterConfig(c Config, l layout) *v1alpha4.Cluster {
	config := kindnode.ClusterConfig(kindnode.ClusterOptions{Name: c.Name, Image: c.Image, Workers: 1, Kubelet: kubelet})
	worker := &config.Nodes[1]
	worker.ExtraMounts = append(worker.ExtraMounts, l.mounts(c.Programs)...)
	worker.KubeadmConfigPatches = append(worker.KubeadmConfigPatches, join)
	v1alpha4.SetDefaultsCluster(config)
	return config
}

// logger makes warnings of kind's packages lines of progress; what they say besides is told by this package's own words.
type logger struct{ c *Config }

var _ log.Logger = logger{}

func (l logger) Warn(message string)          { l.c.logf("kind: %s", strings.TrimSpace(message)) }
func (l logger) Warnf(f string, args ...any)  { l.c.logf("kind: "+strings.TrimSpace(f), args...) }
func (l logger) Error(message string)         { l.Warn(message) }
func (l logger) Errorf(f string, args ...any) { l.Warnf(f, args...) }
func (logger) V(log.Level) log.InfoLogger     { return log.NoopInfoLogger{} }
