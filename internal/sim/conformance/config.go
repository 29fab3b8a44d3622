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

package conformance

import (
	"context"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
)

const (
	linesMount  = "/lines"
	linesSocket = "/lines/lines.sock"
)

func (p *player) sandboxConfig() *runtimev1.PodSandboxConfig {
	name := p.sequence.Name
	config := &runtimev1.PodSandboxConfig{
		Metadata: &runtimev1.PodSandboxMetadata{Name: name, Uid: "uid-" + name, Namespace: "conformance"},
		Labels:   labels(name, ""),
		Linux: &runtimev1.LinuxPodSandboxConfig{
			SecurityContext: &runtimev1.LinuxSandboxSecurityContext{NamespaceOptions: namespaces()},
		},
	}
	if p.Cgroup != "" {
		config.Linux.CgroupParent = p.Cgroup + "/" + name
	}
	return config
}

func (p *player) create(ctx context.Context, name string, args []string) (string, error) {
	config := &runtimev1.ContainerConfig{
		Metadata: &runtimev1.ContainerMetadata{Name: name},
		Image:    &runtimev1.ImageSpec{Image: p.Image},
		Command:  []string{"/actor"},
		Args:     append([]string{"run"}, args...),
		Envs: []*runtimev1.KeyValue{
			variable("KGRACE_POD", p.sequence.Name), variable("KGRACE_CONTAINER", name), variable("KGRACE_SOCKET", linesSocket),
		},
		Labels: labels(p.sequence.Name, name),
		Linux: &runtimev1.LinuxContainerConfig{
			SecurityContext: &runtimev1.LinuxContainerSecurityContext{NamespaceOptions: namespaces()},
		},
	}
	if p.Lines != "" {
		config.Mounts = []*runtimev1.Mount{{ContainerPath: linesMount, HostPath: p.Lines}}
	}
	return p.Runtime.CreateContainer(ctx, p.sandboxID, config, p.sandboxConfig())
}

// variable returns an environment variable.
func variable(key, value string) *runtimev1.KeyValue {
	return &runtimev1.KeyValue{Key: key, Value: []byte(value)}
}

// labels returns the kubelet's labels, by which recorders identify a container.
func labels(pod, container string) map[string]string {
	all := map[string]string{"io.kubernetes.pod.name": pod}
	if container != "" {
		all["io.kubernetes.container.name"] = container
	}
	return all
}

// namespaces returns the options of a pod in the node's network, which needs no network plugin.
func namespaces() *runtimev1.NamespaceOption {
	return &runtimev1.NamespaceOption{
		Network: runtimev1.NamespaceMode_NODE, Pid: runtimev1.NamespaceMode_CONTAINER, Ipc: runtimev1.NamespaceMode_POD,
	}
}
