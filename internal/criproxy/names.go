// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package criproxy

import (
	"strings"
	"sync"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Labels that the kubelet sets on what it creates.
const (
	podLabel       = "io.kubernetes.pod.name"
	containerLabel = "io.kubernetes.container.name"
)

// owner is the pod and container that a container id belongs to, by name.
type owner struct {
	pod, container string
}

// names maps container and sandbox ids to pods. It never forgets: calls about a container also come after its removal, and
// an entry takes only some hundred bytes.
type names struct {
	mu         sync.RWMutex
	containers map[string]owner
	sandboxes  map[string]string // pod name
}

func newNames() *names {
	return &names{containers: map[string]owner{}, sandboxes: map[string]string{}}
}

func (n *names) learnSandbox(id, pod string) {
	if id == "" || pod == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sandboxes[id] = pod
}

// learnContainer adds a container. The pod may be unknown if its sandbox is known.
func (n *names) learnContainer(id, sandbox string, o owner) {
	if id == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if o.pod == "" {
		o.pod = n.sandboxes[sandbox]
	}
	if old := n.containers[id]; o.pod == "" {
		o.pod = old.pod
	}
	n.containers[id] = o
}

// container returns the full id and the owner of a container, given its id or a unique prefix, as interactive tools do. It
// returns an unknown id unchanged.
func (n *names) container(id string) (string, owner) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return find(n.containers, id)
}

// sandbox does the same for a pod's sandbox.
func (n *names) sandbox(id string) (string, string) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return find(n.sandboxes, id)
}

func find[T any](table map[string]T, id string) (string, T) {
	if found, ok := table[id]; ok || id == "" || len(id) >= 64 {
		return id, found
	}
	var full string
	for other := range table {
		if strings.HasPrefix(other, id) {
			if full != "" {
				full = ""
				break // ambiguous; the runtime will refuse it too
			}
			full = other
		}
	}
	if full == "" {
		var none T
		return id, none
	}
	return full, table[full]
}

func ownerOf(metadata *runtimev1.ContainerMetadata, labels map[string]string) owner {
	o := owner{pod: labels[podLabel], container: labels[containerLabel]}
	if o.container == "" {
		o.container = metadata.GetName()
	}
	return o
}

func (n *names) learnContainers(list []*runtimev1.Container) {
	for _, c := range list {
		n.learnContainer(c.GetId(), c.GetPodSandboxId(), ownerOf(c.GetMetadata(), c.GetLabels()))
	}
}

func (n *names) learnSandboxes(list []*runtimev1.PodSandbox) {
	for _, s := range list {
		n.learnSandbox(s.GetId(), s.GetMetadata().GetName())
	}
}
