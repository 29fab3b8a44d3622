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
	"errors"
	"os"
	"strings"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/kind/pkg/log"
	"sigs.k8s.io/yaml"
)

// clusterConfig is kind's description of the cluster.
func clusterConfig(c Config, l layout, cgroupV1 bool) (*v1alpha4.Cluster, error) {
	kubelet := map[string]any{
		"kind":          "KubeletConfiguration",
		"syncFrequency": "30s",
		"oomScoreAdj":   0,
		"logging":       map[string]any{"verbosity": 4},
	}
	if cgroupV1 {
		kubelet["failCgroupV1"] = false
	}
	join := map[string]any{
		"kind":             "JoinConfiguration",
		"nodeRegistration": map[string]any{"criSocket": "unix://" + criSocket},
	}
	var patches []string
	for _, patch := range []any{kubelet, join} {
		text, err := yaml.Marshal(patch)
		if err != nil {
			return nil, err
		}
		patches = append(patches, string(text))
	}
	config := &v1alpha4.Cluster{
		Name: c.Name,
		Nodes: []v1alpha4.Node{
			{Role: v1alpha4.ControlPlaneRole, Image: c.Image},
			{Role: v1alpha4.WorkerRole, Image: c.Image, ExtraMounts: l.mounts(c.Recorder), KubeadmConfigPatches: patches[1:]},
		},
		KubeadmConfigPatches: patches[:1],
	}
	v1alpha4.SetDefaultsCluster(config)
	return config, nil
}

// cgroupV1 says that this machine, and so every node, has the old cgroups.
func cgroupV1() (bool, error) {
	_, err := os.Stat("/sys/fs/cgroup/cgroup.controllers")
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	return false, err
}

// logger makes warnings of kind's packages lines of progress; what they say besides is told by this package's own words.
type logger struct{ c *Config }

var _ log.Logger = logger{}

func (l logger) Warn(message string)          { l.c.logf("kind: %s", strings.TrimSpace(message)) }
func (l logger) Warnf(f string, args ...any)  { l.c.logf("kind: "+strings.TrimSpace(f), args...) }
func (l logger) Error(message string)         { l.Warn(message) }
func (l logger) Errorf(f string, args ...any) { l.Warnf(f, args...) }
func (logger) V(log.Level) log.InfoLogger     { return log.NoopInfoLogger{} }
