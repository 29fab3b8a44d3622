// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"time"
)

// Pod is the pod of a scenario.
type Pod struct {
	// Grace is terminationGracePeriodSeconds.
	Grace int64
	// Sidecars are restartable init containers, in start order. They are stopped in reverse order, after the containers.
	Sidecars   []Container
	Containers []Container
	// Restarts sets restartPolicy Always: containers that exit are restarted, within the kubelet's back-off. Static pods always
	// have it.
	Restarts bool
	// Finalizer keeps the pod in the API until a step removes it.
	Finalizer bool
	// Static makes the pod a static one, from a manifest in the kubelet's directory. Its name in the API and at the runtime
	// gets the node's name as a suffix.
	Static bool
	// Owner is the controller that creates the pod; if it is "", the harness does. The scheduler places an owned pod.
	Owner Owner
	// UID is the UID in the manifest of a static pod; if it is "", the kubelet derives one from the manifest.
	UID string
}

// All returns every container in start order.
func (p Pod) All() []Container {
	return append(append([]Container{}, p.Sidecars...), p.Containers...)
}

// Owner is the kind of controller that owns a pod. It needs a level with a controller manager.
type Owner string

const (
	// OwnerStatefulSet replaces a pod under its own name, OwnerDaemonSet under a new one, each as soon as it has left the API.
	OwnerStatefulSet Owner = "StatefulSet"
	OwnerDaemonSet   Owner = "DaemonSet"
	// OwnerJob has a podFailurePolicy: a container with exit code 137 (SIGKILL) fails the Job. The controller checks a pod only
	// once it is in a final phase.
	OwnerJob Owner = "Job"
)

// Owners returns every kind of controller.
func Owners() []Owner { return []Owner{OwnerStatefulSet, OwnerDaemonSet, OwnerJob} }

// Container is a container and its behaviour.
type Container struct {
	Name string
	// Stubborn ignores TERM. Otherwise the main process exits ExitAfter after the first TERM.
	Stubborn  bool
	ExitAfter time.Duration
	// Fails makes the main process exit at once with code 1. Ends makes it exit with code 0 that long after its start; 0
	// disables it.
	Fails bool
	Ends  time.Duration
	// Sick makes the liveness probe fail that long after the start; 0 means no probe.
	Sick time.Duration
	// Hook is the preStop hook; nil for none.
	Hook *Hook
	// PostStart is the postStart hook, which must be an exec hook; nil for none.
	PostStart *Hook
	// Probe is the period of an exec readiness probe that reports PROBE each time it runs; 0 for none.
	Probe time.Duration
	// Port is a host port that the main process listens on before it reports its start; if the port is in use, the process
	// exits with code 1. 0 means no port.
	Port int
	// Pull sets imagePullPolicy Always: the image is pulled even if it is present.
	Pull bool
}

// EndsByItself reports whether the main process may exit before the first request.
func (c Container) EndsByItself() bool { return c.Fails || c.Ends > 0 || c.Sick > 0 }

func (c Container) check() error {
	for _, h := range []*Hook{c.Hook, c.PostStart} {
		if h != nil && h.Kind != HookExec && (h.Fails || h.EndsMain > 0) {
			return fmt.Errorf("a hook of kind %s can neither fail nor end the main process; use an exec hook", h.Kind)
		}
	}
	switch {
	case c.PostStart != nil && c.PostStart.Kind != HookExec:
		return fmt.Errorf("a postStart hook of kind %s is not supported; use an exec hook", c.PostStart.Kind)
	case c.Fails && c.Ends > 0:
		return fmt.Errorf("it either fails at once or ends after %v", c.Ends)
	}
	return nil
}

// HookKind is the kind of a hook.
type HookKind string

const (
	// HookExec runs a command in the container, which reports its start and its end.
	HookExec HookKind = "exec"
	// HookSleep is the API's own sleep action. It leaves no record in the container.
	HookSleep HookKind = "sleep"
	// HookHTTP sends a request to a server in the container that never answers, but reports the request and the client's
	// disconnect.
	HookHTTP HookKind = "http"
)

// Hook is a preStop hook.
type Hook struct {
	Kind HookKind
	// Takes is how long the hook runs unless it is cancelled; 0 means that it never ends by itself.
	Takes time.Duration
	// Fails makes the hook exit with code 1. EndsMain makes it end the main process, with code 0, that long after its own
	// start; 0 disables it. Both need an exec hook.
	Fails    bool
	EndsMain time.Duration
}

// PostStartWord is the prefix of a postStart hook's output lines, POSTSTART-START and POSTSTART-END; those of a preStop hook
// begin with HOOK. The hook's command line contains it too.
const PostStartWord = "POSTSTART"

// Ports of the HTTP servers. Pods share the node's network, so each server needs a port of its own.
const (
	// HTTPPort is the port of the HTTP hook server. Only one scenario of the catalogue uses it.
	HTTPPort = 18080
	// ReusedPort and FreedPort are host ports that the next pod takes over. Only one scenario of the catalogue uses each.
	ReusedPort = 18081
	FreedPort  = 18082
)
