// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"strings"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
)

const (
	linesMount  = "/lines"
	linesSocket = "/lines/lines.sock"
)

func (p *player) sandboxConfig() *runtimev1.PodSandboxConfig {
	name := p.sequence.Name
	config := &runtimev1.PodSandboxConfig{
		Metadata:     &runtimev1.PodSandboxMetadata{Name: name, Uid: p.uid(), Namespace: "conformance"},
		Labels:       p.labels(""),
		LogDirectory: p.logDirectory(),
		Linux: &runtimev1.LinuxPodSandboxConfig{
			SecurityContext: &runtimev1.LinuxSandboxSecurityContext{NamespaceOptions: namespaces()},
		},
	}
	switch {
	case strings.HasSuffix(p.Cgroup, ".slice"):
		config.Linux.CgroupParent = p.Cgroup
	case p.Cgroup != "":
		config.Linux.CgroupParent = p.Cgroup + "/" + name
	}
	return config
}

// uid is unique even where an earlier run left something.
func (p *player) uid() string { return "uid-" + p.sequence.Name + p.Run }

func (p *player) create(ctx context.Context, name string, args []string) (string, error) {
	config := &runtimev1.ContainerConfig{
		Metadata: &runtimev1.ContainerMetadata{Name: name},
		// CRI-O wants the image as the user wrote it, too.
		Image:   &runtimev1.ImageSpec{Image: p.Image, UserSpecifiedImage: p.Image},
		Command: p.argv(append([]string{actorPath, "run"}, args...)),
		Envs: []*runtimev1.KeyValue{
			variable("KGRACE_POD", p.sequence.Name), variable("KGRACE_CONTAINER", name), variable("KGRACE_SOCKET", linesSocket),
		},
		Labels: p.labels(name),
		Linux: &runtimev1.LinuxContainerConfig{
			SecurityContext: &runtimev1.LinuxContainerSecurityContext{NamespaceOptions: namespaces()},
		},
	}
	if p.Logs != "" {
		config.LogPath = name + ".log"
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

// RunLabel is on all that a run creates; its value is Stage.Run.
const RunLabel = "kgrace.test/conformance"

// labels returns the kubelet's labels, by which recorders identify a container and CRI-O finds the statuses for its events.
func (p *player) labels(container string) map[string]string {
	all := map[string]string{"io.kubernetes.pod.name": p.sequence.Name, "io.kubernetes.pod.uid": p.uid(), RunLabel: p.Run}
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
